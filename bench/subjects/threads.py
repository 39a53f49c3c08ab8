"""Two threads and two jobs against one. Two threads are asked for whatever the size: the library must see itself
where they do not pay."""
import os

from subjects import bench as common
from subjects import sets
from subjects import step

NOT_SLOWER = 0.97  # chosen: the same code twice never takes exactly as long
STEP_PAYS_FROM, FIT_PAYS_FROM, PAYS = 374, 970, 1.8


def measure(bench, table):
    if os.cpu_count() < 2:
        table.note("threads: left out; there is only one processor")
        return
    measure_jobs(bench, table)
    lines = step.lines(bench)
    for line in lines:
        target = PAYS if line["rows"] >= STEP_PAYS_FROM else NOT_SLOWER
        table.add("threads", f"a step of {line['rows']:.0f} rows, 2 threads", line["speedup"], "x one thread",
                  at_least=target, idle=True)
    table.add("threads", "steps of two networks apart, mean", sum(line["apart"] for line in lines) / len(lines),
              "x one")
    table.add("threads", "steps: same bits", int(sum(line["same_bits"] for line in lines)), f"of {len(lines)}",
              at_least=len(lines))
    measure_fits(bench, table)


def measure_jobs(bench, table):
    runs, rounds = ("1", "1") if bench.quick else ("2", "4")
    line = bench.lines([bench.program("grid"), "--csv", runs, "2", common.SOURCES / "data", rounds])[0]
    table.add("threads", f"bench --jobs 2, {line['runs']:.0f} runs", line["speedup"], "x one job", at_least=1.95,
              idle=True)
    table.add("threads", "bench --jobs 1: not training", 100 * line["not_training"], "% of the time")


def measure_fits(bench, table):
    by_name = {one["name"]: one for one in sets.all_sets(bench, table)}
    rounds = 2 if bench.quick else 10
    same = 0
    with common.Server(bench, [bench.program("run"), "1", "2025", "-"]) as one_thread, \
            common.Server(bench, [bench.program("run"), "2", "2025", "-"]) as two_threads:
        for rows, name in sets.SHAPES.items():
            fingerprints = set()

            def seconds(server):
                answer = server.ask(by_name[name]["path"])
                fingerprints.add(answer["fingerprint"])
                return float(answer["seconds"])

            best = common.best_in_turn(rounds, one=lambda: seconds(one_thread), two=lambda: seconds(two_threads))
            same += len(fingerprints) == 1
            table.add("threads", f"a fit of {rows} rows, 2 threads", best["one"] / best["two"], "x one thread",
                      at_least=PAYS if rows >= FIT_PAYS_FROM else NOT_SLOWER, idle=True)
    table.add("threads", "fits: same bits", same, f"of {len(sets.SHAPES)}", at_least=len(sets.SHAPES))
