"""From the start of the process to its end, for the shortest commands there are."""
from subjects import bench as common


def measure(bench, table):
    table_of_training = bench.generate("start_train.csv", 200, 8)
    row = bench.generate("start_row.csv", 1, 8)
    model = bench.folder / "start.model"
    bench.run([bench.tool, "train", table_of_training, "-o", model, "--steps", "1", "--threads", "1", "-q"])
    best = common.best_in_turn(5 if bench.quick else 30,
                               version=lambda: bench.seconds([bench.tool, "--version"]),
                               predict=lambda: bench.seconds([bench.tool, "predict", model, row]))
    table.add("startup", "uaspl --version", 1e3 * best["version"], "ms", at_most=20)
    table.add("startup", "uaspl predict, one row", 1e3 * best["predict"], "ms", at_most=20)
