"""Instructions of three small jobs, as callgrind counts them, against bench/baseline.json: what became slower shows
even on a busy machine."""
import json
import os
import re
import shutil
import subprocess

from subjects import bench as common

BASELINE = common.SOURCES / "bench" / "baseline.json"
GROWTH = 1.03


def measure(bench, table, update=False):
    if not shutil.which("valgrind"):
        table.note("instructions: left out; install valgrind")
        return
    found = {"compiler": common.compiler(), "target": target(bench), "instructions": count_all(bench)}
    if update:
        BASELINE.write_text(json.dumps(found, indent=2) + "\n")
    known = json.loads(BASELINE.read_text()) if BASELINE.exists() else {}
    different = [f"{key} {known.get(key)}, here {found[key]}" for key in ("compiler", "target")
                 if known.get(key) != found[key]]
    if different:
        table.note(f"instructions: not compared, the baseline is of another build: {'; '.join(different)}")
    for job, count in found["instructions"].items():
        case = f"{job}: {count * 1e-6:.1f} million"
        if different or job not in known["instructions"]:
            table.add("instructions", case, count, "instructions")
            continue
        ratio = count / known["instructions"][job]
        table.add("instructions", case, ratio, "x baseline", at_most=GROWTH)
        if ratio > GROWTH:
            table.note(f"warning: `{job}` takes {100 * (ratio - 1):.1f} % more instructions than the baseline")


def count_all(bench):
    small = bench.generate("instructions.csv", 80, 8)
    rows = bench.generate("instructions_predict.csv", 1000, 8)
    model = bench.folder / "instructions.model"
    # Names without folders: where the comparison runs changes nothing.
    one_thread = ["--threads", "1", "--quiet"]
    jobs = {
        "train": ["train", small.name, "-o", model.name, "--steps", "3", *one_thread],
        "predict": ["predict", model.name, rows.name, "-o", "instructions_output.csv", *one_thread],
        "bench": ["bench", "--methods", "direct,uaspl", "--datasets", small.name, "--steps", "3", "--jobs", "1",
                  *one_thread],
    }
    return {name: count(bench, arguments) for name, arguments in jobs.items()}


def under_valgrind(bench, arguments):
    # An environment of its own: its size is part of what the start of a process costs.
    return subprocess.run(["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", *arguments],
                          cwd=bench.folder, env={"PATH": os.environ["PATH"]}, capture_output=True, text=True)


def count(bench, arguments):
    result = under_valgrind(bench, [bench.tool, *arguments])
    collected = re.search(r"Collected : (\d+)", result.stderr)
    if result.returncode != 0 or not collected:
        raise common.Failed(f"valgrind: uaspl {' '.join(arguments)}\n{result.stderr}")
    return int(collected.group(1))


def target(bench):
    """The instruction set that is chosen there, which may not be the processor's best."""
    return under_valgrind(bench, [bench.program("step"), "--target"]).stdout.strip()
