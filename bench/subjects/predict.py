"""Predictions from memory, by one predictor."""
AT_MOST = {"one row": 1.5, "a row of 4096": 0.6}  # microseconds


def measure(bench, table):
    for line in bench.lines([bench.program("predict"), "5" if bench.quick else "40"]):
        target = AT_MOST.get(line["case"])
        table.add("predict", line["case"], line["microseconds"], "µs", **({"at_most": target} if target else {}))
