"use strict";
// Charts on a canvas, by Chart.js.

const kColours = ["#4e79a7", "#f28e2b", "#59a14f", "#b07aa1", "#76b7b2", "#9c755f", "#edc948", "#ff9da7", "#8c8c8c", "#86bcb6"];
const kOwnColours = ["#0b63ce", "#c2185b", "#00897b", "#6a1b9a", "#ef6c00", "#455a64"];
const kDashes = [[], [6, 3], [2, 2]];
const kPoints = ["circle", "triangle", "rect", "rectRot", "star", "crossRot"];

const themed = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

function lineStyle(method, place, owns) {
  const own = isOwn(method);
  const colours = own ? kOwnColours : kColours;
  const turn = own ? owns : place;
  const picked = chosen.method === method;
  // Where one is picked, the others step back.
  const colour = colours[turn % colours.length] + (chosen.method && !picked ? "38" : "");
  const strong = picked || (own && !chosen.method);
  return {
    borderColor: colour,
    backgroundColor: colour,
    borderDash: kDashes[Math.floor(turn / colours.length) % kDashes.length],
    borderWidth: picked ? 4.5 : strong ? 3 : 1.5,
    pointRadius: strong ? 4 : 3,
    pointStyle: kPoints[Math.floor(turn / 3) % kPoints.length],
    order: picked ? -1 : strong ? 0 : 1,
  };
}

function axis(title) {
  return { title: { display: true, text: title, color: themed("--soft") },
    grid: { color: themed("--line") }, ticks: { color: themed("--soft") } };
}

// Draws on a fresh canvas inside the box; what was there before goes.
function draw(box, title, configuration) {
  const old = box.querySelector("canvas");
  if (old) Chart.getChart(old)?.destroy();
  const canvas = element("canvas", { role: "img", "aria-label": title });
  box.replaceChildren(canvas);
  configuration.options = { animation: false, maintainAspectRatio: false, ...configuration.options };
  return new Chart(canvas, configuration);
}

// Values that differ by orders of magnitude, of both signs: linear near 0, logarithmic far from it.
const kFar = 20;
const signedLog = {
  there: (y) => Math.sign(y) * Math.log10(1 + Math.abs(y)),
  back: (y) => Math.sign(y) * (10 ** Math.abs(y) - 1),
  tick: (y) => { const value = signedLog.back(y); return Math.abs(value) < 9.5 ? value.toFixed(1) : value.toExponential(0); },
};
const asIs = { there: (y) => y, back: (y) => y, tick: (y) => Number(y.toFixed(4)) };
const inOrder = { sort: (a, b) => a.datasetIndex - b.datasetIndex };

// A click on a name highlights its method everywhere; names that are not picked step back.
function methodLegend(box, methods) {
  return {
    position: box.clientWidth > 700 ? "right" : "bottom",
    onClick: (_, item) => pick(methods[item.datasetIndex]),
    onHover: (event) => { event.native.target.style.cursor = "pointer"; },
    onLeave: (event) => { event.native.target.style.cursor = ""; },
    labels: { ...inOrder, color: themed("--ink"), boxWidth: 26, boxHeight: 2, font: { size: methods.length > 24 ? 11 : 12 } },
  };
}

// Curves: [{method, values}] over the points of the axis; `dense` ones have no marks, and round ticks.
function lineChart(box, title, points, curves, xTitle, yTitle, dense = false) {
  let owns = 0;
  let others = -1;
  const far = curves.some((curve) => curve.values.some((y) => Math.abs(y) > kFar));
  const scale = far ? signedLog : asIs;
  const datasets = curves.map((curve) => ({
    label: curve.method,
    data: curve.values.map((y, i) => ({ x: (curve.points ?? points)[i], y: y === null ? NaN : scale.there(y) })),
    ...lineStyle(curve.method, others += isOwn(curve.method) ? 0 : 1, isOwn(curve.method) ? owns++ : 0),
    ...(dense ? { pointRadius: 0, pointHitRadius: 4 } : {}),
  }));
  return draw(box, title, {
    type: "line",
    data: { datasets },
    options: {
      interaction: { mode: "nearest", intersect: false },
      scales: { x: { type: "linear", ...axis(xTitle), ticks: { color: themed("--soft"), callback: (v) => v },
        ...(dense ? {} : { afterBuildTicks: (ticks) => { ticks.ticks = points.map((value) => ({ value })); } }) },
        y: { ...axis(far ? yTitle + " (signed logarithm)" : yTitle), ticks: { color: themed("--soft"), callback: scale.tick } } },
      plugins: {
        legend: methodLegend(box, curves.map((curve) => curve.method)),
        tooltip: { callbacks: { title: (items) => `${xTitle}: ${items[0].parsed.x}`, label: (item) => `${item.dataset.label}: ${scale.back(item.parsed.y).toFixed(4)}` } },
      },
    },
  });
}

// The round in which each row is selected first; 0 where it never is.
function entryRounds(run) {
  const rounds = new Map();
  run.stages.forEach((stage, t) => stage.rows.forEach((row, i) => {
    if (stage.selected[i] === "1" && !rounds.has(row)) rounds.set(row, t + 1);
  }));
  return rounds;
}

// Rows of a stage in the order of their loss; four steps show the mean uncertainty of the intervals.
function selectionChart(box, run, place, entered) {
  const stage = run.stages[place];
  const points = (right, inside) => stage.rows.flatMap((row, i) =>
    (stage.correct[i] === "1") === right && (stage.selected[i] === "1") === inside
      ? [{ x: i + 1, y: stage.uncertainty[i], row, loss: stage.loss[i] }] : []);
  const group = (name, right, inside) => {
    const colour = themed(right ? "--right" : "--wrong");
    return { label: `${name}, ${inside ? "selected" : "not yet"}`, data: points(right, inside), pointRadius: 3.5, borderWidth: 1,
      borderColor: colour, backgroundColor: inside ? colour : "transparent", pointStyle: right ? "circle" : "triangle" };
  };
  const steps = stage.intervals.flatMap((value, i) => (value === null ? []
    : [{ x: stage.cuts[i] + 0.5, y: value }, { x: stage.cuts[i + 1] + 0.5, y: value }, { x: NaN, y: NaN }]));
  const datasets = [group("right", true, true), group("right", true, false), group("wrong", false, true), group("wrong", false, false),
    { label: "mean of the interval", type: "line", data: steps, borderColor: themed("--accent"), backgroundColor: themed("--accent"),
      borderWidth: 4, pointRadius: 0, pointHitRadius: 0, pointStyle: "line", spanGaps: false, order: -1 }];
  return draw(box, `Rows of round ${place + 1} by loss`, {
    type: "scatter",
    data: { datasets: datasets.filter((set) => set.data.length > 0) },
    options: {
      interaction: { mode: "nearest", intersect: true },
      scales: { x: { ...axis("rows in the order of their loss"), min: 0, max: stage.rows.length + 1 }, y: axis("uncertainty") },
      plugins: {
        legend: { position: "bottom", labels: { ...inOrder, color: themed("--ink"), usePointStyle: true } },
        tooltip: {
          filter: (item) => item.raw.row !== undefined,
          callbacks: { label: (item) => {
            const { row, loss, y } = item.raw;
            const round = entered.get(row);
            return [`row ${row + 1}`, `loss ${loss}`, `uncertainty ${y}`, round ? `selected from round ${round} on` : "never selected"];
          } },
        },
      },
    },
  });
}
