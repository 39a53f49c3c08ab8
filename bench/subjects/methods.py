"""A fit of every method relative to `direct`, and what the belief masses take of it."""
LARGEST = 2391


def highest(method):
    """None: the MC methods draw masks for every step, and may take what they take."""
    if method.startswith("mc_"):
        return None
    return 3.5 if method == "mw_net" else 1.3


def measure(bench, table):
    rounds, shapes = ("1", "2") if bench.quick else ("3", "3")
    costs = {}  # of each method, shape by shape
    for line in bench.lines([bench.program("methods"), "--csv", rounds, shapes]):
        rows, what = int(line["rows"]), line["what"]
        if what == "direct":
            table.add("methods", f"direct, {rows} rows", 1e3 * line["seconds"], "ms")
        elif what not in ("eknn", "ecm"):
            costs.setdefault(what, {})[rows] = line["share"]
        elif rows == LARGEST:
            table.add("methods", f"{what} masses, {rows} rows", 100 * line["share"], "% of a fit", at_most=5)
    for method, by_rows in costs.items():
        each = ", ".join(f"{cost:.2f}" for cost in by_rows.values())
        table.add("methods", f"{method}: {each}", max(by_rows.values()), "x direct at most", at_most=highest(method))
    table.note(f"methods: a fit by training rows {', '.join(map(str, by_rows))}; held to the target is the costliest")
