"""Writes forest.json: accuracies of scikit-learn's forests on the tables that come with the project, on the halves that
train_test_split(test_size=0.5, random_state=seed) gives. How far means of 10 splits are apart for forests that differ
only by their seeds is printed; the tolerance of the tests is above it.

Usage: forest.py            (needs python3-sklearn, python3-pandas)"""
import json
import pathlib

import numpy as np
import pandas as pd
from sklearn.ensemble import ExtraTreesClassifier, RandomForestClassifier
from sklearn.model_selection import train_test_split

HERE = pathlib.Path(__file__).resolve().parent
TREES, MIN_LEAF, SEEDS = 100, 2, 10


def accuracies(make, data, offset):
    found = []
    for seed in range(SEEDS):
        rows, test = train_test_split(data, test_size=0.5, random_state=seed)
        forest = make(TREES, min_samples_leaf=MIN_LEAF, random_state=seed + offset, n_jobs=2)
        forest.fit(rows.iloc[:, 1:], rows.iloc[:, 0])
        found.append(float((forest.predict(test.iloc[:, 1:]) == test.iloc[:, 0]).mean()))
    return found


def main():
    values = {}
    for name in ("iris", "wine", "breast_cancer", "digits"):
        data = pd.read_csv(HERE.parents[1] / "data" / f"{name}.csv")
        values[name] = {}
        for kind, make in (("random", RandomForestClassifier), ("extra", ExtraTreesClassifier)):
            found = accuracies(make, data, 0)
            print(name, kind, [round(float(np.mean(accuracies(make, data, 100 * i))), 4) for i in range(4)])
            values[name][kind] = {"trees": TREES, "min_leaf": MIN_LEAF, "accuracies": [round(a, 6) for a in found]}
    (HERE / "forest.json").write_text(json.dumps(values, indent=1) + "\n")


if __name__ == "__main__":
    main()
