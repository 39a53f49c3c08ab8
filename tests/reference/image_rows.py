#!/usr/bin/python3
"""Writes image_rows.json: which images the published image code trains on, in which order and with which labels, computed by
NumPy and PyTorch (Debian: python3-numpy, python3-torch)."""
import json
import pathlib

import numpy as np
import torch


def long_tail(images, classes, factor, seed):
    counts = [int(int(images / classes) / factor ** (k / (classes - 1))) for k in range(classes)]
    np.random.RandomState(seed).shuffle(counts)
    return counts


def transitions(kind, ratio, classes, own):
    if kind == "uniform":
        return ratio * np.full((classes, classes), 1 / classes) + (1 - ratio) * np.eye(classes)
    matrix = np.eye(classes) * (1 - ratio)
    everyone = np.arange(classes)
    for i in range(classes):
        others = everyone[everyone != i]
        if kind == "flip1":
            matrix[i][own.choice(others)] = ratio
        else:
            matrix[i][own.choice(others, 2, replace=False)] = ratio / 2
    return matrix


def rows_of(labels, classes, seed, factor=None, noise=None):
    labels = np.array(labels)
    counts = long_tail(len(labels), classes, factor, seed) if factor else [len(labels)] * classes
    grouped = np.concatenate([np.flatnonzero(labels == k)[:counts[k]] for k in range(classes)])
    wrong = labels[grouped]
    if noise:
        matrix = transitions(*noise, classes, np.random.RandomState(seed))
        np.random.seed(seed)
        wrong = np.array([np.random.choice(classes, p=matrix[label]) for label in wrong])
    torch.manual_seed(seed)
    order = torch.randperm(len(grouped)).numpy()
    return {"seed": seed, "classes": classes, "imbalance": factor or 1, "noise": ":".join(map(str, noise)) if noise else "",
            "given": labels.tolist(), "rows": grouped[order].tolist(), "labels": wrong[order].tolist()}


def main():
    draws = np.random.RandomState(1)
    four = draws.randint(0, 4, 101).tolist()
    even = [i % 5 for i in range(124)]  # 124 / 5 is no whole number, and 24.8 / 17.66 ** .25 has another whole part than 24 has
    cases = [rows_of(four, 4, 83105), rows_of(four, 4, 20839, noise=("uniform", 0.4)), rows_of(four, 4, 7, noise=("flip1", 0.4)),
             rows_of(four, 4, 7, noise=("flip2", 0.6)), rows_of(even, 5, 83105, factor=17.66),
             rows_of(even, 5, 94652, factor=10, noise=("flip2", 0.4))]
    text = ",\n".join(json.dumps(case, separators=(",", ":")) for case in cases)
    pathlib.Path(__file__).with_suffix(".json").write_text(f"[\n{text}\n]\n")


if __name__ == "__main__":
    main()
