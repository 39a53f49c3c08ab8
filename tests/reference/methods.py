#!/usr/bin/python3
"""Computes methods.json: values of the methods' pure functions, written from their definitions with
NumPy and mpmath and independent of the C++ sources. Run by hand; the tests read the numbers only."""
import itertools
import json

import mpmath
import numpy as np

mpmath.mp.dps = 50

rng = np.random.RandomState(7)


def as_float32(x):
    return np.asarray(x, dtype=np.float32).astype(float)


def dempster(a, b, classes):
    """Combines two masses given as dicts {frozenset: mass}."""
    out = {}
    for (x, p), (y, q) in itertools.product(a.items(), b.items()):
        both = x & y
        if both:
            out[both] = out.get(both, 0.0) + p * q
    total = sum(out.values())
    return {k: v / total for k, v in out.items()}


def eknn(x, y, classes, k, alpha=0.95):
    n = len(x)
    dist = np.sqrt(((x[:, None] - x[None]) ** 2).sum(-1))
    frame = frozenset(range(classes))
    gamma = np.zeros(classes)
    for q in range(classes):
        rows = np.flatnonzero(y == q)
        pairs = [dist[i, j] for i in rows for j in rows if i != j]
        if pairs:
            gamma[q] = 1 / np.mean(pairs)
        else:
            gamma[q] = 1 / np.mean([dist[i, j] for i in range(n) for j in range(n) if i != j])
    masses = []
    for i in range(n):
        order = [j for j in np.argsort(dist[i], kind="stable") if j != i][:k]
        m = {frame: 1.0}
        for j in order:
            s = alpha * np.exp(-gamma[y[j]] ** 2 * dist[i, j] ** 2)
            m = dempster(m, {frozenset([y[j]]): s, frame: 1 - s}, classes)
        masses.append([m.get(frozenset([q]), 0.0) for q in range(classes)] + [m[frame]])
    return np.array(masses)


def subsets(classes, limited):
    sizes = range(1, classes + 1)
    sets = [c for s in sizes for c in itertools.combinations(range(classes), s)]
    return [c for c in sets if not limited or len(c) <= 2 or len(c) == classes]


def ecm_masses(x, centres, sets, delta=10.0):
    d2 = np.array([[max(((r - centres[list(a)].mean(0)) ** 2).sum(), 1e-12) for a in sets] for r in x])
    size = np.array([len(a) for a in sets])
    raw = 1 / (size * d2)
    total = raw.sum(1) + delta ** -2
    return raw / total[:, None], d2, size


def pignistic(m, sets, classes):
    p = np.zeros((len(m), classes))
    for j, a in enumerate(sets):
        for q in a:
            p[:, q] += m[:, j] / len(a)
    return p / p.sum(1, keepdims=True)


def ecm_tuned(x, centres, sets, delta=10.0):
    objective = []
    while True:
        m, d2, size = ecm_masses(x, centres, sets)
        empty = 1 - m.sum(1)
        objective.append(float((size * m ** 2 * d2).sum() + delta ** 2 * (empty ** 2).sum()))
        if len(objective) > 1 and objective[-2] - objective[-1] < 1e-3:
            return centres, objective
        k = len(centres)
        h = np.zeros((k, k))
        b = np.zeros_like(centres)
        for j, a in enumerate(sets):
            w = m[:, j] ** 2
            for l in a:
                b[l] += (w[:, None] * x).sum(0)
                for q in a:
                    h[l, q] += w.sum() / len(a)
        centres = np.linalg.solve(h, b)


def ambiguity(p, y):
    am = -(np.where(p > 0, p * np.log2(np.where(p > 0, p, 1)), 0)).sum(1)
    am[p.argmax(1) != y] = am.max()
    return am / am.max()


def entropy(p):
    return -(p * np.log(p)).sum(-1)


def beta_entropy(a, b):
    """Differential entropy of a beta distribution, with 50 digits."""
    a, b = mpmath.mpf(a), mpmath.mpf(b)
    psi = mpmath.digamma
    log_beta = mpmath.loggamma(a) + mpmath.loggamma(b) - mpmath.loggamma(a + b)
    return float(log_beta - (a - 1) * psi(a) - (b - 1) * psi(b) + (a + b - 2) * psi(a + b))


def balanced(samples, twice=False):
    """samples: passes x classes."""
    mean, var = samples.mean(0), samples.var(0, ddof=1)
    h = entropy(mean)
    joint = h * (2 if twice else 1)
    for m, v in zip(mean, var):
        m, v = max(m, 1e-9), max(v, 1e-9)
        a = m * m * (1 - m) / v - m
        b = (1 / m - 1) * a
        joint += min(m * beta_entropy(max(a, 1e-6) + 1, max(b, 1e-6)), 0.0)
    return joint / (h + np.log(2))


def adam(parameters, gradients, rate, decay):
    p = np.array(parameters)
    first, second = np.zeros_like(p), np.zeros_like(p)
    for t, g in enumerate(gradients, 1):
        g = np.array(g) + decay * p
        first = 0.9 * first + 0.1 * g
        second = 0.999 * second + 0.001 * g * g
        p = p - rate * (first / (1 - 0.9 ** t)) / (np.sqrt(second / (1 - 0.999 ** t)) + 1e-8)
    return p


def main():
    out = {}
    cases = []
    for n, d, classes in ((30, 3, 3), (24, 2, 2), (40, 5, 5)):
        y = np.concatenate([np.arange(classes), rng.randint(classes, size=n - classes)])
        if classes == 5:
            y[y == 4] = 3
            y[0] = 4  # a class with one row
        x = as_float32(rng.normal(size=(n, d)) + 1.2 * y[:, None] * (np.arange(d) == 0))
        masses = eknn(x, y, classes, 4)
        p1 = masses[:, :-1] + masses[:, -1:] / classes
        sets = subsets(classes, False)
        means = np.array([x[y == q].mean(0) for q in range(classes)])
        p2 = pignistic(ecm_masses(x, means, sets)[0], sets, classes)
        tuned_sets = subsets(classes, classes > 3)
        centres, objective = ecm_tuned(x, means, tuned_sets)
        p3 = pignistic(ecm_masses(x, centres, tuned_sets)[0], tuned_sets, classes)
        cases.append(dict(points=x.tolist(), labels=y.tolist(), classes=classes,
                          eknn_masses=masses.tolist(), eknn=p1.tolist(), ecm=p2.tolist(),
                          ecm_tuned=p3.tolist(), tuned_centres=centres.tolist(),
                          objective=objective, ambiguity=ambiguity(p1, y).tolist()))
    out["belief"] = cases

    passes = []
    for classes, scale in ((2, 1.0), (3, 0.3), (10, 2.0), (3, 0.02)):
        logits = rng.normal(size=classes) + scale * rng.normal(size=(12, classes))
        p = np.exp(logits) / np.exp(logits).sum(1, keepdims=True)
        passes.append(dict(samples=p.tolist(), balanced_entropy=balanced(p),
                           balanced_entropy_twice=balanced(p, True),
                           mutual_information=float(entropy(p.mean(0)) - entropy(p).mean())))
    for p in ([[0.001, 0.999]] * 3 + [[0.999, 0.001]] * 3,  # a and b would be negative
              [[1 - 1e-10, 1e-10]] * 5 + [[1 - 3e-10, 3e-10]] * 5,  # mean and variance below their floors
              [[0.2, 0.3, 0.5]] * 4):
        p = np.array(p)
        passes.append(dict(samples=p.tolist(), balanced_entropy=balanced(p),
                           balanced_entropy_twice=balanced(p, True),
                           mutual_information=max(float(entropy(p.mean(0)) - entropy(p).mean()), 0.0)))
    out["passes"] = passes

    history = rng.uniform(size=(6, 9))
    var = history.var(1)
    w = np.sqrt(var + var ** 2 / (history.shape[1] - 1)) + 0.2
    out["history"] = dict(probabilities=history.tolist(), variance=var.tolist(),
                          weights=(w / w.mean()).tolist())

    start = as_float32(rng.uniform(-1, 1, size=7))
    gradients = rng.normal(size=(5, 7)) * 0.1
    out["adam"] = dict(start=start.tolist(), gradients=gradients.tolist(), rate=1e-2, decay=1e-2,
                       end=adam(start, gradients, 1e-2, 1e-2).tolist())
    with open(__file__.replace(".py", ".json"), "w") as file:
        json.dump(out, file)


main()
