"""Writes the data sets of this folder from the files of Debian's package python3-sklearn.

Usage: convert.py FOLDER, where FOLDER holds iris.csv, wine_data.csv, breast_cancer.csv and
digits.csv.gz, usually
/usr/lib/python3/dist-packages/sklearn/datasets/data. The label moves to the first column; values stay
as they are, character for character (but 0 for 0.000000000000000000e+00 in the digits).
"""
import csv
import gzip
import pathlib
import sys

IRIS = ["sepal length", "sepal width", "petal length", "petal width"]
CELL = ["radius", "texture", "perimeter", "area", "smoothness", "compactness", "concavity",
        "concave points", "symmetry", "fractal dimension"]
BREAST = [f"mean {n}" for n in CELL] + [f"{n} error" for n in CELL] + [f"worst {n}" for n in CELL]
WINE = [f"f{i}" for i in range(1, 14)]

# The paper's wine.csv has the classes in another order; with it, the file is the paper's to the byte.
SETS = {
    "iris": ("iris.csv", "species", IRIS, {}),
    "wine": ("wine_data.csv", "target", WINE, {"0": "1", "1": "2", "2": "0"}),
    "breast_cancer": ("breast_cancer.csv", "benign", BREAST, {}),
}


def convert(source, target):
    for name, (file, label, features, renamed) in SETS.items():
        rows = list(csv.reader(open(source / file)))[1:]
        with open(target / f"{name}.csv", "w", newline="") as out:
            writer = csv.writer(out, lineterminator="\n")
            writer.writerow([label, *features])
            for *values, k in rows:
                writer.writerow([renamed.get(k, k), *values])
    with gzip.open(source / "digits.csv.gz", "rt") as file, open(target / "digits.csv", "w") as out:
        out.write("digit," + ",".join(f"p{i // 8}{i % 8}" for i in range(64)) + "\n")
        for line in file:
            *values, k = (str(int(float(cell))) for cell in line.split(","))
            out.write(",".join([k, *values]) + "\n")


if __name__ == "__main__":
    convert(pathlib.Path(sys.argv[1]), pathlib.Path(__file__).parent)
