"use strict";
// Drawings in SVG: critical differences, and the runs of a data set.

function shape(tag, attributes = {}, ...children) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...children);
  return made;
}

const line = (x1, y1, x2, y2, kind) => shape("line", { x1, y1, x2, y2, class: kind });
const label = (x, y, text, anchor = "start", kind = "") =>
  shape("text", { x, y, "text-anchor": anchor, class: kind }, text);

function picture(width, height, title, ...children) {
  return shape("svg", { width, height, viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": title },
    shape("title", {}, title), ...children);
}

// What is drawn of a method: a click highlights it everywhere.
function ofMethod(method, ...children) {
  const group = shape("g", { class: "method", "data-method": method }, ...children);
  group.addEventListener("click", () => pick(method));
  return group;
}

const isOwn = (method) => method.split(" ")[0].startsWith("uaspl");

// Demsar's diagram: methods on a scale of average ranks, bars join those that do not differ.
function rankDiagram(methods, ranks, order, difference) {
  const [width, left, right, top, step] = [940, 250, 690, 64, 20];
  const count = methods.length;
  const groupStep = 9;
  const firstLabel = top + 22 + order.groups.length * groupStep;
  const x = (rank) => left + ((rank - 1) / Math.max(1, count - 1)) * (right - left);
  const parts = [line(left, top, right, top, "axis")];
  const ticks = Math.max(1, Math.ceil(count / 13));
  for (let rank = 1; rank <= count; rank += 1) {
    parts.push(line(x(rank), top - (rank % ticks ? 4 : 7), x(rank), top, "axis"));
    if ((rank - 1) % ticks === 0) parts.push(label(x(rank), top - 11, String(rank), "middle"));
  }
  if (Number.isFinite(difference)) {
    const end = Math.min(right, x(1 + difference));
    parts.push(line(left, 22, end, 22, "bar"), label(left, 14, `critical difference ${difference.toFixed(2)}`));
  }
  order.groups.forEach(([first, last], i) => {
    const y = top + 12 + i * groupStep;
    parts.push(line(x(ranks[order.methods[first]]) - 3, y, x(ranks[order.methods[last]]) + 3, y, "bar"));
  });
  const half = Math.ceil(count / 2);
  order.methods.forEach((method, place) => {
    const onLeft = place < half;
    const y = firstLabel + (onLeft ? place : count - 1 - place) * step;
    const at = x(ranks[method]);
    const edge = onLeft ? left - 20 : right + 20;
    const text = `${methods[method]} ${ranks[method].toFixed(2)}`;
    parts.push(ofMethod(methods[method], shape("polyline", { points: `${at},${top} ${at},${y} ${edge},${y}`, class: "thin" }),
      label(onLeft ? edge - 6 : edge + 6, y + 4, text, onLeft ? "end" : "start", isOwn(methods[method]) ? "own" : "")));
  });
  return picture(width, firstLabel + half * step, "Critical-difference diagram of the average ranks", ...parts);
}

// Every run a point, the mean a dot, one deviation on both sides a line; what differs in number of runs says so.
function runsDiagram(methods, runs, seeds, means, deviations) {
  const known = (values) => values.filter((value) => value !== null && value >= 0 && value <= 1);  // as all metrics are
  const most = Math.max(...runs.map((values) => values.length));
  const shown = methods.map((_, m) => m).filter((m) => known(runs[m]).length > 0);
  const all = shown.flatMap((m) => known(runs[m]));
  const [low, high] = [Math.min(...all), Math.max(...all)];
  const [width, left, right, step] = [760, 210, 740, 20];
  const x = (value) => left + (high > low ? (value - low) / (high - low) : 0.5) * (right - left);
  const bottom = 10 + shown.length * step;
  const parts = [line(left, bottom, right, bottom, "axis")];
  for (let i = 0; i <= 4; i += 1) {
    const value = low + ((high - low) * i) / 4;
    parts.push(line(x(value), bottom, x(value), bottom + 5, "axis"), label(x(value), bottom + 19, value.toFixed(3), "middle"));
    if (high === low) break;
  }
  shown.forEach((m, place) => {
    const y = 16 + place * step;
    const fewer = runs[m].length < most ? ` (${runs[m].length} of ${most})` : "";
    const own = [label(left - 10, y + 4, methods[m] + fewer, "end", isOwn(methods[m]) ? "own" : "")];
    const within = (value) => Math.min(high, Math.max(low, value));
    own.push(line(x(within(means[m] - deviations[m])), y, x(within(means[m] + deviations[m])), y, "axis"));
    runs[m].forEach((value, i) => {
      if (known([value]).length === 0) return;
      // Spread a little, so that equal results are seen as several.
      const point = shape("circle", { cx: x(value), cy: y - 4 + ((i * 5) % 9), r: 2.5, class: "run" });
      point.append(shape("title", {}, `${methods[m]}, seed ${seeds[m][i]}: ${decimals(value)}`));
      own.push(point);
    });
    const dot = shape("circle", { cx: x(within(means[m])), cy: y, r: 4.5, class: "mean" });
    dot.append(shape("title", {}, `${methods[m]}: ${decimals(means[m])}`));
    own.push(dot);
    parts.push(ofMethod(methods[m], ...own));
  });
  return picture(width, bottom + 26, "Every run of each method", ...parts);
}
