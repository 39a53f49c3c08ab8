"use strict";
// Elements and sortable tables. Text always goes in as text, never as markup: names come from users.

function element(tag, properties = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (name === "class") made.className = value;
    else if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
    else if (name in made) made[name] = value;
    else made.setAttribute(name, value);
  }
  made.append(...children.filter((child) => child !== null && child !== undefined));
  return made;
}

// A cell to show and to sort by.
const cell = (text, value, kind = "", detail = "") => ({ text, value, kind, detail });
const missing = () => cell("", NaN);
// One that names a method: a click on it highlights the method everywhere.
const methodCell = (method) => ({ ...cell(method, method), method });
const methodName = (method, text = method) =>
  element("button", { type: "button", class: "method", title: `Highlight ${method} everywhere`, onclick: () => pick(method) }, text);
const decimals = (value, digits = 4) => (Number.isFinite(value) ? value.toFixed(digits) : "");
const scientific = (p) => (p >= 0.001 ? p.toFixed(3) : p.toExponential(1));

function compare(a, b) {
  const none = (value) => typeof value === "number" && Number.isNaN(value);
  if (none(a) || none(b)) return none(a) - none(b);  // what is missing comes last
  return typeof a === "string" ? a.localeCompare(b) : a - b;
}

function sortBy(table, column, descending) {
  const body = table.tBodies[0];
  const rows = Array.from(body.rows);
  const value = (row) => row.cells[column].sortValue;
  const sign = descending ? -1 : 1;
  rows.sort((a, b) => {
    const [x, y] = [value(a), value(b)];
    return Number.isNaN(x) || Number.isNaN(y) ? compare(x, y) : sign * compare(x, y);
  });
  body.append(...rows);
  Array.from(table.tHead.rows[0].cells).forEach((head, i) => {
    if (i === column) head.setAttribute("aria-sort", descending ? "descending" : "ascending");
    else head.removeAttribute("aria-sort");
  });
}

// A table as CSV, with all digits, in the order in which it is shown.
function csvText(table) {
  const line = (values) => values.map((value) => `"${String(value).replaceAll('"', '""')}"`).join(",") + "\n";
  const heads = Array.from(table.tHead.rows[0].cells, (head) => head.textContent);
  const rows = Array.from(table.tBodies[0].rows, (row) => Array.from(row.cells, (one) => (Number.isNaN(one.sortValue) ? "" : one.sortValue ?? one.textContent)));
  return line(heads) + rows.map(line).join("");
}

// A file is named after the section that the table stands in.
function saveCsv(table) {
  const address = URL.createObjectURL(new Blob([csvText(table)], { type: "text/csv" }));
  element("a", { href: address, download: `${table.closest("section")?.id || "table"}.csv` }).click();
  setTimeout(() => URL.revokeObjectURL(address), 1000);
}

// The words stay in view when a wide table is moved sideways.
function tableCaption(table, words) {
  const save = element("button", { type: "button", class: "save", title: "Save this table as a CSV file", onclick: () => saveCsv(table) }, "CSV");
  return element("caption", {}, element("span", {}, words, " ", save));
}

// Columns: {title, high: best is highest}. Rows: lists of cells; `own` marks a row.
function sortableTable(columns, rows, caption) {
  const table = element("table");
  const head = columns.map((column, i) =>
    element("th", { scope: "col", ...(column.method ? { "data-method": column.method } : {}) }, element("button", {
      type: "button",
      title: "Sort by " + column.title,
      onclick: () => {
        const now = table.tHead.rows[0].cells[i].getAttribute("aria-sort");
        sortBy(table, i, now ? now === "ascending" : Boolean(column.high));
      },
    }, column.title)));
  const body = rows.map((row) => element("tr", { class: row.own ? "own" : "", ...(row.method ? { "data-method": row.method } : {}) }, ...row.cells.map((one, i) => {
    const made = element("td", { class: one.kind, ...(columns[i].method ? { "data-method": columns[i].method } : {}) }, one.method ? methodName(one.method, one.text) : one.text);
    if (one.detail) made.append(element("small", {}, " " + one.detail));
    if (typeof one.value === "string") made.title = one.value;
    made.sortValue = one.value;
    return made;
  })));
  table.append(tableCaption(table, caption), element("thead", {}, element("tr", {}, ...head)), element("tbody", {}, ...body));
  return element("div", { class: "wide" }, table);
}

// Fills a list to choose from; calls back with the place that was chosen.
function chooser(select, names, onchoose, first = 0) {
  select.replaceChildren(...names.map((name, i) => element("option", { value: String(i) }, name)));
  select.value = String(first);
  select.addEventListener("change", () => onchoose(Number(select.value)));
  return select;
}
