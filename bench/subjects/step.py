"""One training step on one thread, as a share of the FMA peak; on two threads, against one."""
PEAK_SHARE = {40: 70, 89: 72, 175: 74, 374: 75, 970: 77, 2391: 77}  # percent, by rows


def lines(bench):
    return bench.lines([bench.program("step"), "--csv", "5" if bench.quick else "40", "2"])


def measure(bench, table):
    measured = lines(bench)
    for line in measured:
        rows = int(line["rows"])
        table.add("step", f"{rows} rows, {line['columns']:.0f} columns, {line['classes']:.0f} classes",
                  100 * line["share"], "% of FMA peak", at_least=PEAK_SHARE[rows])
    table.add("step", "FMA peak of one core", measured[0]["peak"] * 1e-9, "GFLOPS")
    table.add("step", "vector target in use", measured[0]["target"])
