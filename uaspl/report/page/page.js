"use strict";
// The page: what is shown where, from the data that the report was written with.

const report = JSON.parse(document.getElementById("data").textContent);
// What the reader has chosen: kept when a section is drawn again.
const chosen = { table: 0, metric: 0, pValues: 0, variation: 0, kind: 0, sheet: "", run: 0, round: 0, method: "", curves: 0, curve: 0, open: new Set() };
const byId = (id) => document.getElementById(id);
const table = () => report.tables[chosen.table];
const metric = () => report.metrics[chosen.metric];
const variantName = (one) => one.variant || "usual protocol";

// Everything of a section below its heading.
function fill(id, ...children) {
  const section = byId(id);
  section.querySelectorAll("canvas").forEach((canvas) => Chart.getChart(canvas)?.destroy());
  section.hidden = children.length === 0;
  section.replaceChildren(section.querySelector("h2"), ...children.filter(Boolean));
}

function best(values, digits = 12) {
  const known = values.filter(Number.isFinite);
  return known.length ? Number(Math.max(...known).toFixed(digits)) : NaN;
}
const isBest = (value, highest) => Number.isFinite(value) && Number(value.toFixed(12)) === highest;

// Which data sets do not count for ranks, as methods with unequal runs cannot be compared there.
const isComplete = (own, d) => own.complete.includes(d);
function leftOutText(own) {
  const names = own.datasets.filter((_, d) => !isComplete(own, d)).map((set) => set.name);
  if (names.length === 0) return "";
  return `Left out, as not all methods have runs with the same seeds: ${names.slice(0, 12).join(", ")}${names.length > 12 ? ", ..." : ""}. `;
}

// Marks all that is of the chosen method. Charts are drawn again, for their lines.
function showPicked() {
  for (const one of document.querySelectorAll("[data-method]")) one.classList.toggle("picked", one.dataset.method === chosen.method);
  byId("method").value = chosen.method;
}
function pick(method) {
  chosen.method = chosen.method === method ? "" : method;
  show(charts);
}
function listMethods() {
  const { methods } = table();
  if (!methods.includes(chosen.method)) chosen.method = "";
  byId("method").replaceChildren(element("option", { value: "" }, "nothing"), ...methods.map((name) => element("option", { value: name }, name)));
}

function showLead() {
  const methods = new Set(report.tables.flatMap((one) => one.methods));
  const datasets = new Set(report.tables.flatMap((one) => one.datasets.map((set) => set.name)));
  const runs = report.tables.reduce((sum, one) => sum + one.runs, 0);
  byId("lead").textContent = "Accuracy, ranks and tests of methods over data sets and seeds; how their training went, and from where the runs come.";
  const tiles = [[runs, "runs"], [datasets.size, "data sets"], [methods.size, "methods"]];
  const order = report.tables[0].ranks[0];
  if (report.tables[0].complete.length && order.order.methods.length > 1) tiles.push([report.tables[0].methods[order.order.methods[0]], "best average rank (accuracy)"]);
  byId("tiles").replaceChildren(...tiles.map(([value, name]) =>
    element("div", { class: "tile" }, element("b", {}, typeof value === "number" ? value.toLocaleString("en") : value), element("span", {}, name))));
}

function showStandings() {
  const own = table();
  if (own.complete.length === 0) {
    fill("overview", element("p", {}, report.noRanks));
    return;
  }
  const columns = [{ title: "method" }];
  for (const one of report.metrics) columns.push({ title: one.title, high: true }, { title: "rank" }, { title: "best", high: true });
  const tops = report.metrics.map((_, k) => best(own.standings[k].map((s) => s.mean)));
  const ranks = own.standings[chosen.metric].map((s) => s.rank);
  const byRank = own.methods.map((method, m) => ({ method, m })).sort((a, b) => ranks[a.m] - ranks[b.m]);
  const seconds = (m) => own.complete.reduce((sum, d) => sum + (own.cells[d][m].seconds ?? NaN), 0) / own.complete.length;
  columns.push({ title: "seconds" });
  const rows = byRank.map(({ method, m }) => ({
    own: isOwn(method),
    method,
    cells: [methodCell(method), ...report.metrics.flatMap((_, k) => {
      const s = own.standings[k][m];
      return [cell(decimals(s.mean), s.mean, isBest(s.mean, tops[k]) ? "best" : "", `± ${decimals(s.deviation)}`),
        cell(s.rank.toFixed(2), s.rank), cell(String(s.best), s.best)];
    }), cell(decimals(seconds(m), 3), seconds(m))],
  }));
  fill("overview", sortableTable(columns, rows, `${variantName(own)}: means over ${own.complete.length} of ${own.datasets.length} data sets of the means over runs, ± means of the deviations over runs; mean seconds of a run. ${leftOutText(own)}${report.rankRule} A click on a method highlights it everywhere.`));
}

// Tables that the program makes as cells: a name, or a number and how it is shown.
function sheetTable(sheet) {
  const columns = sheet.columns.map((title) => ({ title }));
  const isMethod = (one) => table().methods.includes(one);
  const rows = sheet.rows.map((row) => ({ own: isOwn(String(row[0])), method: row.find(isMethod), cells: row.map((one) => (Array.isArray(one)
    ? cell(one[1], one[0] ?? NaN) : isMethod(one) ? methodCell(one) : cell(one, one))) }));
  return element("div", {}, sortableTable(columns, rows, sheet.caption), ...sheet.remarks.map((text) => element("p", { class: "note" }, text)));
}

function showSheets() {
  const { sheets } = table();
  if (sheets.length === 0) return fill("sheets");
  const place = element("div");
  const show = (i) => { chosen.sheet = sheets[i].title; place.replaceChildren(sheetTable(sheets[i])); showPicked(); };
  const first = Math.max(0, sheets.findIndex((sheet) => sheet.title === chosen.sheet));
  const select = chooser(element("select"), sheets.map((sheet) => sheet.title), show, first);
  show(first);
  fill("sheets", element("div", { class: "row" }, element("label", {}, "Table ", select)), place);
}

function showAblation() {
  const rows = table().ablation.map((one) => ({ method: one.method, cells: [methodCell(one.method), cell(one.form, one.form),
    cell(decimals(one.accuracy), one.accuracy), cell((one.difference < 0 ? "" : "+") + decimals(one.difference), one.difference), cell(String(one.rank), one.rank)] }));
  if (rows.length === 0) return fill("ablation");
  const columns = [{ title: "method" }, { title: "form" }, { title: "accuracy", high: true }, { title: "difference", high: true }, { title: "rank" }];
  fill("ablation", sortableTable(columns, rows, `Plain self-paced learning (spl), and UASPL with a constant (beta1) and a growing (beta_t) weight of the divergence instead of the adaptive one, in its three forms: mean accuracy over ${table().complete.length} data sets, difference to the whole method, rank by this mean within the form. ${report.rankRule}`));
}

function showRanks() {
  const own = table();
  const { friedman, order } = own.ranks[chosen.metric];
  if (!friedman) return fill("ranks");
  const ranks = own.standings[chosen.metric].map((s) => s.rank);
  const differ = friedman.p < 0.05 ? "The methods differ" : "No difference between the methods is shown";
  fill("ranks",
    element("p", {}, `${metric().title}. ${differ} (Friedman’s test over ${own.complete.length} data sets: chi-squared ${friedman.statistic.toFixed(2)}, p = ${scientific(friedman.p)}). Average ranks, best on the left; a bar joins methods that are at most the critical difference apart (Nemenyi, 5 %; after Demšar).`),
    element("div", { class: "wide" }, rankDiagram(own.methods, ranks, order, friedman.difference)),
    element("p", { class: "note" }, report.rankRule));
}

function showResults() {
  const own = table();
  const k = chosen.metric;
  const most = Math.max(...own.cells.flat().map((one) => (one ? one.runs[0].length : 0)));
  const columns = [{ title: "data set" }, ...own.methods.map((title) => ({ title, high: true, method: title }))];
  const rows = own.datasets.map((set, d) => {
    const means = own.cells[d].map((one) => (one ? one.mean[k] : NaN));
    const highest = best(means);
    const count = (one) => (one.runs[0].length < most ? `, ${one.runs[0].length} of ${most} runs` : "");
    return { cells: [cell(set.name + (isComplete(own, d) ? "" : " †"), set.name), ...own.cells[d].map((one) => (one
      ? cell(decimals(one.mean[k]), one.mean[k], isBest(one.mean[k], highest) ? "best" : "", `± ${decimals(one.deviation[k])}${count(one)}`) : missing()))] };
  });
  fill("results", sortableTable(columns, rows, `${metric().title} on the test rows, ${variantName(own)}: mean ± deviation over runs; the best of each data set is marked, and where there are fewer runs than elsewhere, their number. † Not all methods have runs with the same seeds. ${report.rankRule}`));
}

// White at 1, strong below 0.05; blue where the row's method is better, orange where it is worse.
function heatColour(p, better) {
  const strength = Math.min(1, Math.max(0, -Math.log10(Math.max(p, 1e-4)) / 4));
  return `rgba(${better ? "11, 99, 206" : "230, 110, 10"}, ${(0.06 + 0.8 * strength).toFixed(2)})`;
}

function wilcoxonTable(pairs, corrected) {
  const own = table();
  const cells = own.methods.map(() => own.methods.map(() => null));
  for (const [a, b, difference, p, holm] of pairs) {
    cells[a][b] = { difference, p, holm };
    cells[b][a] = { difference: -difference, p, holm };
  }
  const heads = own.methods.map((name) => element("th", { scope: "col", "data-method": name }, element("span", {}, name)));
  // Names stand aslant: the heads are as high as the longest needs.
  const longest = Math.max(...own.methods.map((name) => name.length));
  heads.forEach((head) => { head.style.height = `${Math.min(11, 1.2 + 0.4 * longest)}rem`; });
  const rows = own.methods.map((name, i) => element("tr", { "data-method": name }, element("th", { scope: "row" }, methodName(name)), ...own.methods.map((other, j) => {
    const one = cells[i][j];
    if (!one) return element("td", { class: "same" });
    const p = corrected ? one.holm : one.p;
    const made = element("td", { title: `${name} − ${other}: ${one.difference.toFixed(4)}; p = ${scientific(one.p)}, Holm ${scientific(one.holm)}` }, p < 0.001 ? "<.001" : p > 0.9995 ? "1" : p.toFixed(3).replace(/^0/, ""));
    made.style.background = heatColour(p, one.difference > 0);
    made.sortValue = p;
    return made;
  })));
  const made = element("table", { class: "heat" });
  const count = own.complete.length;
  const smallest = 2 ** (1 - count);
  const bound = `${count} data sets cannot give an exact p below ${scientific(smallest)}, nor one below ${scientific(Math.min(1, smallest * pairs.length))} after the correction for ${pairs.length} pairs.`;
  made.append(
    tableCaption(made, `${metric().title}; p-values ${corrected ? "corrected for all pairs (Holm)" : "as they are"}. Blue: the method of the row is better, orange: worse; the stronger, the smaller p. Two-sided, over the means of ${count} data sets; zero differences are dropped, tied ones share ranks; exact for at most 50 pairs without either, normal approximation otherwise. ${bound}`),
    element("thead", {}, element("tr", {}, element("td"), ...heads)), element("tbody", {}, ...rows));
  return element("div", { class: "wide heatbox" }, made);
}

function showWilcoxon() {
  const pairs = table().wilcoxon[chosen.metric];
  if (pairs.length === 0) return fill("wilcoxon");
  const place = element("div");
  const show = (i) => { chosen.pValues = i; place.replaceChildren(wilcoxonTable(pairs, i === 0)); showPicked(); };
  const select = chooser(element("select"), ["corrected for all pairs (Holm)", "as they are"], show, chosen.pValues);
  show(chosen.pValues);
  fill("wilcoxon", element("div", { class: "row" }, element("label", {}, "p-values ", select)), place);
}

function datasetSection(set, d) {
  const own = table();
  const k = chosen.metric;
  const means = own.cells[d].map((one) => (one ? one.mean[k] : NaN));
  const highest = best(means);
  const winners = own.methods.filter((_, m) => own.cells[d][m] && isBest(means[m], highest));
  const place = element("details", {}, element("summary", {}, element("b", {}, set.name), element("span", {}, ` ${set.rows} rows, ${set.classes} classes; best ${metric().title.toLowerCase()} ${decimals(highest)}: ${winners.join(", ")}`)));
  place.addEventListener("toggle", () => {
    if (place.open) chosen.open.add(set.name);
    else chosen.open.delete(set.name);
    if (!place.open || place.childElementCount > 1) return;
    const columns = [{ title: "method" }, ...report.metrics.map((one) => ({ title: one.title, high: true })), { title: "runs" }, { title: "seconds" }, { title: "remarks" }];
    const most = Math.max(...own.cells[d].map((one) => (one ? one.runs[0].length : 0)));
    const rows = own.methods.flatMap((method, m) => {
      const one = own.cells[d][m];
      if (!one) return [];
      const remarks = [one.diverged ? `${one.diverged} diverged` : "", one.stalled ? `${one.stalled} stalled` : ""].filter(Boolean).join(", ");
      const count = one.runs[0].length;
      return [{ own: isOwn(method), method, cells: [methodCell(method), ...report.metrics.map((_, j) => cell(decimals(one.mean[j]), one.mean[j], j === k && isBest(one.mean[j], highest) ? "best" : "", `± ${decimals(one.deviation[j])}`)),
        cell(count < most ? `${count} of ${most}` : String(count), count, count < most ? "fewer" : ""), cell(decimals(one.seconds, 3), one.seconds ?? NaN), cell(remarks, remarks)] }];
    });
    const of = (part) => own.cells[d].map((one) => (one ? one[part] : []));
    const deviations = own.cells[d].map((one) => (one ? one.deviation[k] : NaN));
    place.append(sortableTable(columns, rows, `${set.name}, ${variantName(own)}: mean ± deviation over runs; mean seconds of a run. ${report.rankRule}`),
      element("p", { class: "note" }, `${metric().title} of every run (points; their heights say nothing), mean and one deviation on both sides:`),
      element("div", { class: "wide" }, runsDiagram(own.methods, of("runs").map((values) => values[k] ?? []), of("seeds"), means, deviations)));
    showPicked();
  });
  place.open = chosen.open.has(set.name);
  return place;
}

function showDatasets() {
  fill("datasets", ...table().datasets.map(datasetSection));
}

function showProvenance() {
  const columns = ["version", "commit", "instruction set", "runs", "first", "last"].map((title) => ({ title }));
  const rows = report.provenance.map((one) => ({ cells: [cell(one.version, one.version), cell(one.commit || "unknown", one.commit), cell(one.target, one.target), cell(String(one.runs), one.runs), cell(one.first, one.first), cell(one.last, one.last)] }));
  fill("provenance", sortableTable(columns, rows, `Program and time of the runs (UTC), from ${report.store}; results version ${report.resultsVersion}.`));
}

const byTable = [listMethods, showSheets, showAblation];
const byMetric = [showStandings, showRanks, showResults, showWilcoxon, showDatasets];
const charts = [showVariation, showCurves, showConditions];

// A section that fails must not take the others along.
function show(sections) {
  for (const one of sections) {
    try {
      one();
    } catch (error) {
      console.error(error);
    }
  }
  showPicked();
  byId("sections").replaceChildren(...Array.from(document.querySelectorAll("main section:not([hidden])")).map((section) =>
    element("a", { href: "#" + section.id }, section.dataset.name)));
}

chooser(byId("variant"), report.tables.map(variantName), (i) => { chosen.table = i; show([...byTable, ...byMetric, showVariation, showCurves]); });
chooser(byId("metric"), report.metrics.map((one) => one.title), (i) => { chosen.metric = i; show(byMetric); });
byId("method").addEventListener("change", (event) => { chosen.method = event.target.value; show(charts); });
byId("variant").parentElement.hidden = report.tables.length < 2;
showLead();
show([...byTable, ...byMetric, ...charts, showSelection, showProvenance]);
// Colours come from the theme, the place of legends from the width: drawn again when these change.
for (const condition of ["(prefers-color-scheme: dark)", "(max-width: 48rem)"])
  matchMedia(condition).addEventListener("change", () => show([...charts, showSelection]));
