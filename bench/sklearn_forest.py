"""What forests are compared with: scikit-learn's, fitted to all rows of a file but the last sixth, which are
predicted. Prints a line as bench_forest does.

Usage: sklearn_forest.py FILE.csv random|extra TREES MIN_LEAF THREADS ROUNDS"""
import sys
import time

import numpy as np
import pandas as pd
from sklearn.ensemble import ExtraTreesClassifier, RandomForestClassifier


def best_seconds(rounds, work):
    best, result = float("inf"), None
    for _ in range(rounds):
        start = time.perf_counter()
        result = work()
        best = min(best, time.perf_counter() - start)
    return best, result


def main():
    path, kind = sys.argv[1:3]
    trees, min_leaf, threads, rounds = map(int, sys.argv[3:7])
    data = pd.read_csv(path)
    rows, labels = data.iloc[:, 1:].to_numpy(np.float32), data.iloc[:, 0].to_numpy()
    train = len(rows) - len(rows) // 6
    make = RandomForestClassifier if kind == "random" else ExtraTreesClassifier
    forest = make(trees, min_samples_leaf=min_leaf, n_jobs=threads, random_state=1)
    fit, _ = best_seconds(rounds, lambda: forest.fit(rows[:train], labels[:train]))
    forest.set_params(n_jobs=1)
    ask, p = best_seconds(rounds, lambda: forest.predict_proba(rows[train:]))
    accuracy = (forest.classes_[p.argmax(1)] == labels[train:]).mean()
    print("fit_seconds,row_microseconds,accuracy")
    print(f"{fit:.6f},{1e6 * ask / len(p):.4f},{accuracy:.4f}")


if __name__ == "__main__":
    main()
