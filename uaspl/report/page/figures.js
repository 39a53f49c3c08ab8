"use strict";
// The sections with charts, and what the reader can choose in them.

// Says where a data set has unequal numbers of runs.
function unequalRuns(own, d) {
  if (d < 0) return "";
  const counts = own.cells[d].map((one) => (one ? one.runs[0].length : 0));
  const most = Math.max(...counts);
  const fewer = own.methods.filter((_, m) => counts[m] < most).map((method, i, all) => `${method} ${counts[own.methods.indexOf(method)]}`);
  return fewer.length ? `Unequal numbers of runs, ${most} but of: ${fewer.join(", ")}.` : "";
}

function showVariation() {
  const own = table();
  const rounds = Math.max(...own.variation[0].places.map((one) => Math.max(...one.map((values) => values.length))));
  if (!(rounds > 0)) return fill("variation");
  const box = element("div", { class: own.methods.length > 20 ? "chart tall" : "chart" });
  const note = element("p", { class: "note" });
  const points = Array.from({ length: rounds }, (_, i) => i + 1);
  const draw = () => {
    const values = own.variation[chosen.kind].places[chosen.variation];
    note.textContent = unequalRuns(own, chosen.variation - 1);
    lineChart(box, "Loss variation", points, own.methods.map((method, m) => ({ method, values: values[m] })), "round", "relative loss variation");
  };
  const show = (place) => { chosen.variation = place; draw(); };
  chosen.variation = Math.min(chosen.variation, own.datasets.length);
  if (chosen.variation === 0 && own.complete.length === 0) chosen.variation = 1;
  const select = chooser(element("select"), [`mean of ${own.complete.length} that all methods have`, ...own.datasets.map((set) => set.name)], show, chosen.variation);
  const kinds = chooser(element("select"), own.variation.map((kind) => kind.title), (i) => { chosen.kind = i; draw(); }, chosen.kind);
  fill("variation", element("p", {}, "How much the loss of the first round’s rows falls in each round: (before − after) / before, over the rows, then mean over the runs. Below zero it rises: the rows that looked easy were not. Rows whose loss is almost nothing rule the mean as the paper defines it. A click on a name highlights its line."),
    element("div", { class: "row" }, element("label", {}, "Data set ", select), element("label", {}, "Over the rows ", kinds)), box, note);
  show(chosen.variation);
}

// One run of each method: its state after every pass over the rows.
function showCurves() {
  const { titles, runs, leftOut } = report.curves;
  const own = table();
  const here = runs.filter((run) => run.variant === own.variant);
  if (here.length === 0) return fill("curves");
  const names = own.datasets.map((set) => set.name).filter((name) => here.some((run) => run.dataset === name));
  const box = element("div", { class: own.methods.length > 20 ? "chart tall" : "chart" });
  const note = element("p", { class: "note" });
  const draw = () => {
    const shown = here.filter((run) => run.dataset === names[chosen.curves]);
    const seeds = new Set(shown.map((run) => run.seed));
    note.textContent = seeds.size === 1 ? `Seed ${shown[0].seed}.` : `Not of one seed: ${shown.map((run) => `${run.method} ${run.seed}`).join(", ")}.`;
    lineChart(box, "Learning curves", [], shown.map((run) => ({ method: run.method, points: run.at, values: run.values[chosen.curve] })),
      "passes over the rows of the stages", titles[chosen.curve], true);
  };
  chosen.curves = Math.min(chosen.curves, names.length - 1);
  const select = chooser(element("select"), names, (i) => { chosen.curves = i; draw(); }, chosen.curves);
  const kinds = chooser(element("select"), titles, (i) => { chosen.curve = i; draw(); }, chosen.curve);
  fill("curves", element("p", {}, "The first run with curves of each method, after each pass; the pre-training, which all methods share, comes before. Losses are those of each method’s own stage, and differ in kind. Stages that stop early are shorter."),
    element("div", { class: "row" }, element("label", {}, "Data set ", select), element("label", {}, "Shown ", kinds)), box, note,
    leftOut ? element("p", { class: "note" }, `${leftOut} more run(s) with curves are in the store; there was no room for them here.`) : null);
  draw();
}

function showConditions() {
  if (report.sweeps.length === 0) return fill("conditions");
  const boxes = report.sweeps.map(() => element("div", { class: "chart small" }));
  fill("conditions", element("p", {}, "Mean accuracy over the data sets and seeds that all points of a line have."),
    element("div", { class: "pair" }, ...report.sweeps.map((sweep, i) => element("div", {}, element("h3", {}, sweep.title), element("p", { class: "note" }, `${sweep.datasets} data set(s).${sweep.leftOut}`), boxes[i]))));
  report.sweeps.forEach((sweep, i) => lineChart(boxes[i], sweep.title, sweep.points, sweep.curves, sweep.axis, "accuracy"));
}

function showSelection() {
  const { runs, leftOut } = report.selections;
  if (runs.length === 0) return fill("selection");
  const box = element("div", { class: "chart" });
  const note = element("p", { class: "note" });
  const now = chosen;
  const rounds = element("select");
  const show = () => {
    const run = runs[now.run];
    now.round = Math.min(now.round, run.stages.length - 1);
    const stage = run.stages[now.round];
    selectionChart(box, run, now.round, entryRounds(run));
    const count = (flags, flag) => Array.from(flags).filter((one) => one === flag).length;
    note.textContent = `${stage.rows.length} training rows, ${count(stage.selected, "1")} selected, ${count(stage.correct, "0")} wrong. Mean uncertainty of the four intervals, from easy to hard: ${stage.intervals.map((u) => (u === null ? "none" : u.toFixed(3))).join(", ")}.`;
  };
  chooser(rounds, runs[0].stages.map((_, i) => `round ${i + 1}`), (i) => { now.round = i; show(); }, now.round);
  const names = runs.map((run) => `${run.method} on ${run.dataset}${run.variant ? ", " + run.variant : ""} (seed ${run.seed})`);
  const select = chooser(element("select"), names, (i) => { now.run = i; show(); }, now.run);
  fill("selection", element("p", {}, "All training rows when a round begins, in the order of their loss. The first wrong row cuts them in two, each part is cut in half: correct and certain, correct but unsure, wrong and unsure, wrong but certain. Point at a row to see which one it is."),
    element("div", { class: "row" }, element("label", {}, "Run ", select), element("label", {}, "Round ", rounds)), box, note,
    leftOut ? element("p", { class: "note" }, `${leftOut} more traced run(s) are in the store; there was no room for them here.`) : null);
  show();
}
