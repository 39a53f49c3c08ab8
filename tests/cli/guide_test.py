"""Runs the commands of docs/guide.md and docs/experiments.md and compares what they print; words must be equal, numbers nearly.

Usage: guide_test.py PROGRAM          (with --write, puts what is printed into them)
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
GUIDES = [ROOT / "docs" / name for name in ("guide.md", "experiments.md")]
BLOCK = re.compile(r"```console\n(.*?)```", re.DOTALL)
NUMBER = re.compile(r"^-?\d+(\.\d+)?(e-?\d+)?$")


def commands(block):
    """Pairs of a command and the text below it."""
    parts = re.split(r"^\$ (.*)\n", block, flags=re.MULTILINE)
    return list(zip(parts[1::2], parts[2::2]))


def execute(command, folder, tool):
    environment = {k: v for k, v in os.environ.items() if k not in ("UASPL_DATA", "XDG_DATA_HOME")}
    environment["PATH"] = f"{pathlib.Path(tool).resolve().parent}:{environment['PATH']}"
    result = subprocess.run(["bash", "-c", command], cwd=folder, env=environment, text=True, timeout=300,
                            stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    return result.stdout


def same(printed, expected):
    """Other processors may differ in the last digits, and so in a row or two."""
    a, b = (re.split(r"[\s,()|]+", text.strip()) for text in (printed, expected))
    if len(a) != len(b):
        return False
    return all(x == y or (NUMBER.match(x) and NUMBER.match(y) and
                          abs(float(x) - float(y)) <= 0.05 + 0.05 * abs(float(y))) for x, y in zip(a, b))


def check(guide, tool, write):
    """How many commands of the guide there are, and how many print something else."""
    count = failures = 0
    with tempfile.TemporaryDirectory() as folder:
        for file in (ROOT / "examples").glob("*.csv"):
            shutil.copy(file, folder)

        def rerun(match):
            nonlocal failures, count
            block = ""
            for command, expected in commands(match.group(1)):
                printed = execute(command, folder, tool)
                count += 1
                block += f"$ {command}\n{printed}"
                if not write and not same(printed, expected):
                    failures += 1
                    print(f"$ {command}\nprinted:\n{printed}\n{guide.name} says:\n{expected}")
            return f"```console\n{block}```"

        written = BLOCK.sub(rerun, guide.read_text())
    if write:
        guide.write_text(written)
    return count, failures


def main():
    failed = False
    for guide in GUIDES:
        count, failures = check(guide, sys.argv[1], "--write" in sys.argv)
        print(f"{guide.name}: {count - failures} passed, {failures} failed")
        failed = failed or failures > 0 or count == 0
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
