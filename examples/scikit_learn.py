#!/usr/bin/env python3
"""Fits scikit-learn's classifiers on uaspl's splits and writes their predictions, for a report with uaspl's methods.

  uaspl bench --datasets iris,wine --runs 10 --export-splits splits
  examples/scikit_learn.py --splits splits --data data -o runs.csv
  uaspl import runs.csv --db results.db --program scikit-learn

Needs scikit-learn and pandas (Debian: python3-sklearn, python3-pandas)."""
import argparse
import csv
import pathlib
import time

import pandas
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler


def classifiers(seed):
    return {"logistic_regression": make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000)),
            "random_forest": RandomForestClassifier(random_state=seed, n_jobs=1),
            "gaussian_nb": GaussianNB()}


def read_features(path):
    """All columns but the first, which is the class, of the rows without a missing value, as uaspl has them."""
    cells = pandas.read_csv(path, dtype=str, keep_default_na=False, skipinitialspace=True)
    missing = cells.apply(lambda column: column.str.strip().str.lower().isin(["", "?", "na", "nan"]))
    rows = cells[~missing.any(axis=1)].iloc[:, 1:].apply(pandas.to_numeric, errors="ignore")
    return pandas.get_dummies(rows).to_numpy(dtype=float)


def predictions(dataset, features, splits):
    for (variant, seed), rows in splits.groupby(["variant", "seed"], sort=False):
        train, test = rows[rows.part == "train"], rows[rows.part == "test"]
        for method, classifier in classifiers(int(seed)).items():
            began = time.perf_counter()
            classifier.fit(features[train.row.astype(int) - 1], train.trained_label)
            fitted = time.perf_counter()
            probabilities = classifier.predict_proba(features[test.row.astype(int) - 1])
            ended = time.perf_counter()
            run = {"dataset": dataset, "variant": variant, "method": method, "seed": seed,
                   "seconds": ended - began, "inference_seconds": ended - fitted}
            # A class that no training row has is never expected.
            none = {f"p_{name}": 0.0 for name in rows.label.unique()}
            for row, likely in zip(test.row, probabilities):
                known = {f"p_{name}": p for name, p in zip(classifier.classes_, likely)}
                yield {**run, "row": row, "predicted": classifier.classes_[likely.argmax()], **none, **known}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--splits", type=pathlib.Path, required=True, help="folder of `uaspl bench --export-splits`")
    parser.add_argument("--data", type=pathlib.Path, required=True, help="folder with NAME.csv, the class first")
    parser.add_argument("-o", "--output", type=pathlib.Path, required=True, help="CSV file for `uaspl import`")
    options = parser.parse_args()
    lines = []
    for path in sorted(options.splits.glob("*.csv")):
        splits = pandas.read_csv(path, dtype=str, keep_default_na=False)
        lines += predictions(path.stem, read_features(options.data / path.name), splits)
    columns = list(dict.fromkeys(name for line in lines for name in line))
    with options.output.open("w", newline="") as file:
        writer = csv.DictWriter(file, columns, restval="")
        writer.writeheader()
        writer.writerows(lines)


if __name__ == "__main__":
    main()
