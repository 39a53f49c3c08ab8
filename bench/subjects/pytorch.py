"""Whole runs (pre-training and six stages) against the same in PyTorch, one thread each, on all 25 data sets."""
import math

from subjects import blas
from subjects import bench as common
from subjects import sets

SEED = "2025"
CHANCE = ("hayes_roth",)  # of 80 test rows, some are decided by last bits: PyTorch differs from itself there
FASTER = {40: 35, 89: 17, 374: 5.8, 2391: 3}  # times, by training rows


def measure(bench, table):
    missing = common.missing_packages("torch", "pandas", "sklearn")
    if missing:
        table.note(f"pytorch: left out; install {' '.join(missing)}")
        return
    fair = blas.is_fair(bench, table, "pytorch", "PyTorch", "torch")
    chosen = sets.all_sets(bench, table)
    if bench.quick:
        chosen = [one for one in chosen if one["name"] in sets.SHAPES.values()]
    rounds = 1 if bench.quick else 3
    ours_command = [bench.program("run"), "1", SEED, "-"]
    theirs_command = [*bench.script("pytorch_uaspl.py"), SEED, "-"]
    with common.Server(bench, ours_command) as ours, common.Server(bench, theirs_command) as theirs:
        theirs.ask(chosen[0]["path"])  # its first operations are slow, and no part of a run
        ours.ask(chosen[0]["path"])
        results = [compare(one, ours, theirs, rounds) for one in chosen]
    report(table, chosen, results, fair)


def compare(one, ours, theirs, rounds):
    """Times PyTorch's, and whether the accuracies are equal."""
    answers = {"ours": [], "theirs": []}
    for _ in range(rounds):
        answers["ours"].append(ours.ask(one["path"]))
        answers["theirs"].append(theirs.ask(one["path"]))
    seconds = {name: min(float(answer["seconds"]) for answer in all_of) for name, all_of in answers.items()}
    accuracies = [float(all_of[0]["accuracy"]) for all_of in answers.values()]
    return {"faster": seconds["theirs"] / seconds["ours"], "seconds": seconds["ours"], "accuracies": accuracies}


def report(table, chosen, results, fair):
    shapes = {name: rows for rows, name in sets.SHAPES.items()}
    for one, result in zip(chosen, results):
        target = FASTER.get(shapes.get(one["name"])) if fair else None
        case = f"{one['name']}: {one['rows']} rows, {1e3 * result['seconds']:.0f} ms"
        table.add("pytorch", case, result["faster"], "x faster", at_least=target)
    ratios = [result["faster"] for result in results]
    table.add("pytorch", "geometric mean", math.exp(sum(map(math.log, ratios)) / len(ratios)), "x faster",
              at_least=8 if fair else None)
    lowest = min(range(len(ratios)), key=ratios.__getitem__)
    table.add("pytorch", f"lowest: {chosen[lowest]['name']}", ratios[lowest], "x faster")
    different = [f"{one['name']} ({result['accuracies'][0]:.4f}, PyTorch {result['accuracies'][1]:.4f})"
                 for one, result in zip(chosen, results) if result["accuracies"][0] != result["accuracies"][1]]
    firm = [result for one, result in zip(chosen, results) if one["name"] not in CHANCE]
    equal = sum(result["accuracies"][0] == result["accuracies"][1] for result in firm)
    table.add("pytorch", f"same accuracy (without {', '.join(CHANCE)})", equal, f"of {len(firm)} sets",
              at_least=len(firm))
    if different:
        table.note(f"pytorch: other accuracies on {', '.join(different)}")
