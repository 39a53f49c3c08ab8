"""Forests against scikit-learn's of the same size, one thread each, on a table of the paper and a large one."""
from subjects import bench as common
from subjects import sets

TREES, MIN_LEAF = 200, 2
AT_LEAST = {"random": 3, "extra": 1.5}  # times as fast as scikit-learn, to fit
ROW = 10  # microseconds, at most, for a row of nine columns


def measure(bench, table):
    found = sets.find(bench.data, "waveform")
    if not found:
        table.note("forest: waveform was not found (--data): a table of the same shape stands for it")
        found = bench.generate("forest_waveform.csv", 4782, 21, 3)
    large = bench.generate("forest_large.csv", 12_000 if bench.quick else 120_000, 30)
    missing = common.missing_packages("pandas", "sklearn")
    if missing:
        table.note(f"forest: no comparison; install {' '.join(missing)}")
    for path, name, trees in ((found, "waveform", TREES), (large, "large", TREES // 10)):
        for kind in ("random", "extra"):
            compare(bench, table, path, f"{name}, {trees} {kind} trees", kind, trees, not missing)
    nine = bench.generate("forest_nine.csv", 1200, 9)
    for kind in ("random", "extra"):
        line = ours(bench, nine, kind, TREES, 1)
        for unit in ("row", "alone"):
            table.add("forest", f"{TREES} {kind} trees, 9 columns: {'a row of 200' if unit == 'row' else 'one row'}",
                      line[f"{unit}_microseconds"], "µs", at_most=ROW)
    prints = {ours(bench, nine, "random", TREES, threads)["fingerprint"] for threads in (1, 2, 3)}
    table.add("forest", "1, 2 and 3 threads: different bits", len(prints) - 1, "", at_most=0)


def arguments(path, kind, trees, threads, bench):
    return [path, kind, str(trees), str(MIN_LEAF), str(threads), "1" if bench.quick else "3"]


def ours(bench, path, kind, trees, threads):
    return bench.lines([bench.program("forest"), *arguments(path, kind, trees, threads, bench)])[0]


def compare(bench, table, path, case, kind, trees, compared):
    line = ours(bench, path, kind, trees, 1)
    table.add("forest", f"{case}: fit", line["fit_seconds"], "s")
    table.add("forest", f"{case}: a row of many", line["row_microseconds"], "µs")
    table.add("forest", f"{case}: accuracy", 100 * line["accuracy"], "%")
    if not compared:
        return
    theirs = bench.lines([*bench.script("sklearn_forest.py"), *arguments(path, kind, trees, 1, bench)])[0]
    table.add("forest", f"{case}: fit", theirs["fit_seconds"] / line["fit_seconds"], "x scikit-learn",
              at_least=AT_LEAST[kind])
    table.add("forest", f"{case}: a row of many", theirs["row_microseconds"] / line["row_microseconds"],
              "x scikit-learn")
    table.add("forest", f"{case}: accuracy", 100 * theirs["accuracy"], "% (scikit-learn)")
