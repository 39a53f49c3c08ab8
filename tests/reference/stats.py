#!/usr/bin/python3
"""Computes stats.json with SciPy: Friedman's test, quantiles of the studentised range, Holm's correction from its
definition. Run by hand; the tests read the numbers only."""
import json

import numpy as np
from scipy import stats

rng = np.random.RandomState(3)


def holm(p):
    order = np.argsort(p, kind="stable")
    adjusted, highest = np.zeros(len(p)), 0.0
    for place, i in enumerate(order):
        highest = max(highest, min(1.0, (len(p) - place) * p[i]))
        adjusted[i] = highest
    return adjusted


def friedman():
    for n, k, digits in ((25, 16, 8), (6, 3, 8), (10, 4, 1), (12, 5, 0)):
        values = np.round(rng.normal(size=(n, k)) + 0.4 * np.arange(k), digits)
        statistic, p = stats.friedmanchisquare(*values.T)
        yield dict(values=values.tolist(), statistic=float(statistic), p=float(p))


with open(__file__.replace(".py", ".json"), "w") as file:
    p = rng.uniform(size=9) ** 3
    json.dump(dict(
        friedman=list(friedman()),
        range=[dict(k=k, level=a, q=float(stats.studentized_range.ppf(1 - a, k, 1e8)))
               for k in (2, 3, 7, 16, 26) for a in (0.05, 0.1, 0.01)],
        holm=dict(p=p.tolist(), adjusted=holm(p).tolist())), file)
