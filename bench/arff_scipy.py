#!/usr/bin/python3
"""Compares what uaspl reads of ARFF files with what scipy.io.arff reads, cell by cell.

Usage: bench/arff_scipy.py PROGRAM FILE_OR_FOLDER...

A model that is hardly trained is made of each file, and `predict --keep-all` writes all cells as they were read. Where scipy
or the files are missing, it says so and ends well. Needs: python3-scipy (Debian).

scipy reads less than ARFF is: no strings, no sparse rows, no dates with a time zone, no escapes in quotes, no comments behind
rows. A file that only scipy refuses is counted apart, with its reason.
"""
import csv
import math
import pathlib
import subprocess
import sys
import tempfile


def read_by_us(program, path, folder):
    """The names of the columns, and the cells as text."""
    model = folder / "m.model"
    quick = ["--steps", "1", "--pretraining", "1", "--missing", "mean", "--test-fraction", "0", "-q"]
    subprocess.run([program, "train", path, "--target", "-1", *quick, "-o", model], check=True, capture_output=True, text=True)
    result = subprocess.run([program, "predict", model, path, "--keep-all", "-q"], check=True, capture_output=True, text=True)
    header, *rows = csv.reader(result.stdout.splitlines())
    width = header.index("row")
    return header[:width], [row[:width] for row in rows]


def is_same(cell, value):
    """A cell as we read it, and a value of scipy's: a float, a text in bytes, or a time."""
    if isinstance(value, bytes):
        text = value.decode("utf-8")
        return cell == text or (text == "?" and cell in ("", "?"))
    if isinstance(value, float):
        return float(cell) == value if not math.isnan(value) else cell in ("", "?") or math.isnan(float(cell))
    return cell == str(value)


def differences(program, path, folder, arff):
    try:
        values, meta = arff.loadarff(path)
    except (ValueError, NotImplementedError, arff.ArffError) as error:
        return f"scipy refuses it: {error}"
    names, rows = read_by_us(program, path, folder)
    if names != meta.names():
        return f"columns {names} are {meta.names()}"
    if len(rows) != len(values):
        return f"{len(rows)} rows are {len(values)}"
    for i, (row, expected) in enumerate(zip(rows, values)):
        for name, cell, value in zip(names, row, expected.tolist()):
            if not is_same(cell, value):
                return f"row {i + 1}, column {name}: '{cell}' is {value!r}"
    return ""


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    try:
        from scipy.io import arff
    except ImportError:
        print("skipped: python3-scipy is not installed")
        return
    places = [pathlib.Path(name) for name in sys.argv[2:]]
    files = [file for place in places for file in (sorted(place.glob("*.arff")) if place.is_dir() else [place]) if file.exists()]
    if not files:
        print("skipped: there are no .arff files")
        return
    failed, refused = 0, 0
    with tempfile.TemporaryDirectory() as folder:
        for file in files:
            problem = differences(sys.argv[1], file, pathlib.Path(folder), arff)
            refused += problem.startswith("scipy refuses")
            failed += problem != "" and not problem.startswith("scipy refuses")
            if problem:
                print(f"{file.name}: {problem}")
    print(f"{len(files)} files: {len(files) - failed - refused} equal, {failed} different, {refused} that scipy does not read")
    sys.exit(1 if failed else 0)


main()
