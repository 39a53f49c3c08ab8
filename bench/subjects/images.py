"""Networks for images against the same in PyTorch: training and scoring, as many threads each; and what part of a step
loading would be if it were not done meanwhile."""
from subjects import bench as common
from subjects import blas

THREADS = "1"
CASES = [("lenet", 1, 28), ("lenet", 3, 32), ("resnet8", 1, 28), ("resnet8", 3, 32), ("resnet18", 3, 32)]
BATCHES = {"lenet": 20, "resnet8": 5, "resnet18": 2}


def measure(bench, table):
    missing = common.missing_packages("torch", "pandas", "sklearn")
    if missing:
        table.note(f"images: left out; install {' '.join(missing)}")
        return
    if not (common.SOURCES / "build" / "release" / "libuaspl_torch.so").exists():
        table.note("images: left out; libuaspl_torch.so was not built (Debian: libtorch-dev)")
        return
    fair = blas.is_fair(bench, table, "images", "PyTorch", "torch")
    rounds = 1 if bench.quick else 3
    ours_command = [bench.program("images"), THREADS]
    theirs_command = [*bench.script("pytorch_images.py"), THREADS]
    with common.Server(bench, ours_command) as ours, common.Server(bench, theirs_command) as theirs:
        for case in CASES[:-1] if bench.quick else CASES:
            compare(table, case, ours, theirs, rounds, fair)


def compare(table, case, ours, theirs, rounds, fair):
    network, channels, side = case
    best = {}
    for _ in range(rounds):
        for name, server in (("ours", ours), ("theirs", theirs)):
            answer = server.ask(f"{network} {channels} {side} {BATCHES[network]}")
            for title, text in answer.items():
                key = (name, title)
                best[key] = min(float(text), best.get(key, float("inf")))
    shape = f"{network}, {side} x {side} x {channels}"
    for title, word, target in (("train", "training", 0.97), ("score", "scoring", 1.0)):
        speed = 64 / best["ours", title]
        table.add("images", f"{shape}: {word}, {speed:.0f} images/s", best["theirs", title] / best["ours", title],
                  "x PyTorch", at_least=target if fair else None)
    table.add("images", f"{shape}: loading, done meanwhile", 100 * best["ours", "load"] / best["ours", "train"],
              "% of a step", at_most=5)
