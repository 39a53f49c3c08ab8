#!/usr/bin/python3
"""Computes rankings.json by scikit-learn: scores of rows with and without weights, AUROC and average precision of each
class against the rest, scores at thresholds, and balanced class weights. Run by hand; the tests read the numbers only."""
import json

import numpy as np
from sklearn.metrics import (accuracy_score, average_precision_score, balanced_accuracy_score, log_loss,
                             precision_recall_fscore_support, precision_score, recall_score, roc_auc_score)
from sklearn.utils.class_weight import compute_class_weight

rng = np.random.RandomState(23)


def case(rows, classes, digits, weighted, absent=False):
    logits = rng.normal(size=(rows, classes)) * 1.5
    truth = np.array([rng.choice(classes, p=np.exp(o) / np.exp(o).sum()) for o in logits / 1.5])
    if absent:
        truth[truth == classes - 1] = 0
    p = np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True)
    if classes == 2:  # few digits: many ties
        p[:, 1] = np.round(p[:, 1], digits)
        p[:, 0] = 1 - p[:, 1]
    p = p.astype(np.float32)
    wide = p.astype(float)
    predicted = p.argmax(axis=1)
    weights = np.round(rng.exponential(size=rows) + 0.01, 3) if weighted else np.ones(rows)
    macro = precision_recall_fscore_support(truth, predicted, average="macro", zero_division=0, sample_weight=weights)
    onehot = np.eye(classes)[truth]
    result = dict(
        truth=truth.tolist(), predicted=predicted.tolist(), probabilities=wide.tolist(),
        weights=weights.tolist() if weighted else [],
        accuracy=accuracy_score(truth, predicted, sample_weight=weights),
        balanced_accuracy=balanced_accuracy_score(truth, predicted, sample_weight=weights),
        precision=macro[0], recall=macro[1], f1=macro[2],
        log_loss=log_loss(truth, wide, labels=range(classes), sample_weight=weights, eps=1e-15),
        brier=np.average(((wide - onehot) ** 2).sum(axis=1), weights=weights),
        error_auroc=roc_auc_score(truth != predicted, 1 - wide.max(axis=1), sample_weight=weights),
        classes=[])
    for k in range(classes):
        here = truth == k
        result["classes"].append(dict(
            auroc=roc_auc_score(here, wide[:, k], sample_weight=weights) if here.any() and not here.all() else None,
            average_precision=average_precision_score(here, wide[:, k], sample_weight=weights) if here.any() else None))
    if classes == 2:
        result["thresholds"] = []
        for t in (0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95):
            flagged = wide[:, 1] >= t
            result["thresholds"].append(dict(
                threshold=t,
                precision=precision_score(truth, flagged, sample_weight=weights) if flagged.any() else None,
                recall=recall_score(truth, flagged, sample_weight=weights),
                flagged=np.average(flagged, weights=weights)))
    return result


def balanced(labels):
    present = np.unique(labels)
    return dict(labels=labels.tolist(), present=present.tolist(),
                weights=compute_class_weight("balanced", classes=present, y=labels).tolist())


everything = dict(
    scores=[case(60, 3, 6, False), case(60, 3, 6, True), case(80, 2, 1, False), case(80, 2, 1, True),
            case(50, 4, 6, True, absent=True)],
    balanced=[balanced(rng.choice(3, size=40, p=[0.7, 0.2, 0.1])), balanced(rng.choice([0, 2], size=25))])
with open(__file__.replace(".py", ".json"), "w") as file:
    json.dump(everything, file)
