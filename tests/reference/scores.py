#!/usr/bin/python3
"""Computes scores.json: log-loss, Brier score and AUROC by scikit-learn, the expected calibration error from its
definition with NumPy. Run by hand; the tests read the numbers only."""
import json

import numpy as np
from sklearn.metrics import log_loss, roc_auc_score
from sklearn.preprocessing import label_binarize

rng = np.random.RandomState(11)


def calibration_error(truth, predicted, p, bins=15):
    top, right = p.max(axis=1), truth == predicted
    place = np.minimum((top * bins).astype(int), bins - 1)
    return sum(np.mean(place == b) * abs(top[place == b].mean() - right[place == b].mean())
               for b in range(bins) if np.any(place == b))


def case(rows, classes, digits, sharpness):
    logits = rng.normal(size=(rows, classes)) * sharpness
    truth = np.array([rng.choice(classes, p=np.exp(o) / np.exp(o).sum()) for o in logits / 1.7])
    p = np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True)
    p = p.astype(np.float32)
    predicted = p.argmax(axis=1)
    unsure = np.round(-(p * np.log(p)).sum(axis=1), digits).astype(np.float32)  # few digits: many ties
    wide = p.astype(float)
    onehot = (label_binarize(truth, classes=range(classes)) if classes > 2
              else np.stack([1 - truth, truth], axis=1))
    return dict(truth=truth.tolist(), predicted=predicted.tolist(), probabilities=wide.tolist(),
                uncertainty=unsure.astype(float).tolist(),
                log_loss=float(-np.mean(np.log(wide[np.arange(rows), truth]))),
                sklearn_log_loss=float(log_loss(truth, wide, labels=range(classes))),
                brier=float(((wide - onehot) ** 2).sum(axis=1).mean()),
                ece=float(calibration_error(truth, predicted, wide)),
                error_auroc=float(roc_auc_score(truth != predicted, unsure)))


with open(__file__.replace(".py", ".json"), "w") as file:
    json.dump([case(60, 3, 6, 1.5), case(45, 2, 1, 2.0), case(80, 5, 0, 3.0)], file)
