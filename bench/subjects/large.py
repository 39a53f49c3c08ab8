"""A million rows: reading against pandas, memory, mini-batch training, and prediction against scikit-learn."""
from subjects import bench as common
from subjects import blas

COLUMNS = 30
BATCH = "256"
SAME = 1.05  # "does not depend on the rows": up to the pages that an allocator happens to keep


def measure(bench, table):
    rows = 100_000 if bench.quick else 1_000_000
    file = bench.generate("large.csv", rows, COLUMNS)
    part = bench.generate("large_part.csv", rows // 10, COLUMNS)
    missing = common.missing_packages("pandas", "sklearn")
    if missing:
        table.note(f"large: no comparison; install {' '.join(missing)}")
    compared = not missing
    measure_reading(bench, table, file, rows, compared)
    measure_training(bench, table, rows)
    measure_prediction(bench, table, file, part, rows, compared)
    file.unlink()


def rounds_of(bench):
    return 1 if bench.quick else 3


def measure_reading(bench, table, file, rows, compared):
    exact_rows = rows // 5
    exact = bench.generate("large_exact.csv", exact_rows, COLUMNS, digits=17)
    for path, name, count, target in ((file, "6 digits", rows, 4), (exact, "17 digits", exact_rows, None)):
        case = f"read {count:,} x {COLUMNS}, {name}"
        measures = {"ours": lambda: bench.lines([bench.program("large"), "load", path])[0]["seconds"]}
        if compared:
            measures["theirs"] = lambda: float(bench.run([*bench.script("pandas_sklearn.py"), "read", path]))
        best = common.best_in_turn(rounds_of(bench), **measures)
        table.add("large", case, path.stat().st_size / best["ours"] * 1e-6, "MB/s")
        if compared:
            table.add("large", case, best["theirs"] / best["ours"], "x pandas", at_least=target)
    exact.unlink()
    measure_peak_of_reading(bench, table, file, rows)


def measure_peak_of_reading(bench, table, file, rows):
    """Also with some more rows: a buffer that doubles has just done so there (2^20 rows), and holds both halves."""
    more = rows + rows // 20
    longer = bench.generate("large_more.csv", more, COLUMNS)
    for path, count in ((file, rows), (longer, more)):
        peak = bench.peak_anonymous([bench.program("large"), "load", path])
        table.add("large", f"read {count:,} x {COLUMNS}: peak anonymous memory", peak / (4 * count * COLUMNS),
                  "x float32 matrix", at_most=2.5)
    longer.unlink()


def measure_training(bench, table, rows):
    """Each time covers as many rows, so that all are disturbed alike."""
    sizes = [10_000, 100_000, 1_000_000] if rows >= 1_000_000 else [10_000, rows]
    command = lambda size, passes: [bench.program("large"), "train", str(size), str(COLUMNS), BATCH, str(passes)]
    measures = {str(size): lambda size=size: bench.lines(command(size, rows // size))[0]["seconds_a_pass"] / size
                for size in sizes}
    best = common.best_in_turn(rounds_of(bench), **measures)
    first = best[str(sizes[0])]
    table.add("large", f"an epoch of {sizes[0]:,} rows, batch {BATCH}", 1e6 * first, "us a row")
    for size in sizes[1:]:
        table.add("large", f"an epoch of {size:,} rows: time a row", best[str(size)] / first,
                  f"x that of {sizes[0]:,}", at_most=1.1)
    # A row's features, class and number are the caller's. Beside them training keeps what the choice of rows needs
    # for each (logits, scores, order, weight), and a constant part: batches and the network.
    extra = [bench.peak_anonymous(command(size, 2)) - size * (4 * COLUMNS + 8) for size in (sizes[0], sizes[-1])]
    table.add("large", f"train {sizes[0]:,} rows: extra memory", extra[0] / 2**20, "MiB")
    table.add("large", f"train {sizes[-1]:,} rows: extra memory", (extra[1] - extra[0]) / (sizes[-1] - sizes[0]),
              "bytes a row", at_most=48)


def check_output(bench, command, output, rows):
    """A prediction for every row: a time without them would be none."""
    bench.run(command)
    with open(output, "rb") as file:
        lines = sum(1 for _ in file)
    if lines != rows + 1:
        raise common.Failed(f"uaspl predict wrote {lines} lines for {rows} rows")


def measure_prediction(bench, table, file, part, rows, compared):
    small = bench.generate("large_small.csv", 2000, COLUMNS)
    model, output = bench.folder / "large.model", bench.folder / "large_output.csv"
    bench.run([bench.tool, "train", small, "-o", model, "--steps", "1", "--threads", "1", "-q"])
    command = lambda path: [bench.tool, "predict", model, path, "-o", output, "--threads", "1", "-q"]
    measures = {"ours": lambda: bench.seconds(command(file))}
    if compared:
        fair = blas.is_fair(bench, table, "large", "scikit-learn", "sklearn")
        theirs = [*bench.script("pandas_sklearn.py"), "predict", small, file, output]
        measures["theirs"] = lambda: float(bench.run(theirs))
    best = common.best_in_turn(rounds_of(bench), **measures)
    check_output(bench, command(file), output, rows)
    table.add("large", f"predict {rows:,} rows", best["ours"], "s")
    if compared:
        table.add("large", f"predict {rows:,} rows, end to end", best["theirs"] / best["ours"], "x scikit-learn",
                  at_least=3 if fair else None)
    peaks = [bench.peak_anonymous(command(path)) for path in (part, file)]
    table.add("large", f"predict {rows // 10:,} rows: peak anonymous memory", peaks[0] / 2**20, "MiB")
    table.add("large", f"predict {rows:,} rows: peak anonymous memory", peaks[1] / 2**20, "MiB",
              at_most=SAME * peaks[0] / 2**20)
