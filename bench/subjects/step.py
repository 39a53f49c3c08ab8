"""One training step on one thread, as a share of the FMA peak; on two threads, against one."""
PEAK_SHARE = {40: 70, 89: 72, 175: 74, 374: 75, 970: 77, 2391: 77}  # percent, by rows


def lines(bench, target=None):
    return bench.lines([bench.program("step"), "--csv", "5" if bench.quick else "30", "2"],
                       **({"UASPL_TARGET": target} if target else {}))


def measure(bench, table):
    """With vectors of 16 floats also those of 8: the peak is twice as high, and what is no product weighs twice."""
    measured = lines(bench)
    report(table, measured)
    if measured[0]["target"].startswith("AVX3"):
        report(table, lines(bench, "AVX2"))


def report(table, measured):
    target = measured[0]["target"]
    for line in measured:
        rows = int(line["rows"])
        table.add("step", f"{target}: {rows} rows, {line['columns']:.0f} columns, {line['classes']:.0f} classes",
                  100 * line["share"], "% of FMA peak", at_least=PEAK_SHARE[rows])
    table.add("step", f"{target}: FMA peak of one core", measured[0]["peak"] * 1e-9, "GFLOPS")
