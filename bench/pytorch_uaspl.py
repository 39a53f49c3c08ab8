"""UASPL in idiomatic PyTorch, to compare with: the same split, scaling, initial weights, steps and early stop as
`uaspl bench --methods uaspl`, on one thread. Prints `dataset,seed,accuracy,seconds`.

Usage: pytorch_uaspl.py SEED FILE.csv ...      (python3-torch, python3-sklearn, python3-pandas)
A file called - stands for names on standard input, one a line."""
import pathlib
import sys
import time

import numpy as np
import pandas as pd
import torch
import torch.nn.functional as F
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler
from torch import nn


def make_network(inputs, classes):
    return nn.Sequential(nn.Linear(inputs, 128), nn.GELU(), nn.Linear(128, 128), nn.GELU(), nn.Linear(128, classes))


def make_optimiser(network):
    return torch.optim.SGD(network.parameters(), lr=0.1, momentum=0.9, weight_decay=5e-4)


def divergence(alpha, classes):
    """Of a Dirichlet from the uniform one."""
    total = alpha.sum(1, keepdim=True)
    return (torch.lgamma(total.squeeze(1)) - torch.lgamma(alpha).sum(1) - torch.lgamma(torch.tensor(float(classes)))
            + ((alpha - 1) * (torch.digamma(alpha) - torch.digamma(total))).sum(1))


def uaspl_loss(logits, labels, one_hot, classes):
    alpha = F.relu(logits) + 1
    total = alpha.sum(1, keepdim=True)
    p = alpha / total
    fit = ((one_hot - p) ** 2 + p * (1 - p) / (total + 1)).sum(1)
    vacuity = classes / total.squeeze(1)
    correct = (logits.argmax(1) == labels).float()
    weight = correct * vacuity + (1 - correct) * (1 - vacuity)
    return fit + weight * divergence(one_hot + (1 - one_hot) * alpha, classes)


def fit(inputs, labels, classes, seed):
    torch.manual_seed(seed)
    network = make_network(inputs.shape[1], classes)
    optimiser = make_optimiser(network)
    for _ in range(20):
        optimiser.zero_grad()
        F.cross_entropy(network(inputs), labels).backward()
        optimiser.step()
    one_hot = F.one_hot(labels, classes).float()
    optimiser = make_optimiser(network)
    for stage in range(6):
        count = max(1, int(min(1.0, 0.25 + 0.15 * stage) * len(labels)))
        with torch.no_grad():
            easiest = torch.argsort(uaspl_loss(network(inputs), labels, one_hot, classes), stable=True)[:count]
        x, y, target = inputs[easiest], labels[easiest], one_hot[easiest]
        for _ in range(150):
            optimiser.zero_grad()
            loss = uaspl_loss(network(x), y, target, classes).mean()
            loss.backward()
            optimiser.step()
            if loss.item() < 1e-4:
                break
    return network


def run(path, seed):
    data = pd.read_csv(path, na_values="?").dropna()
    labels = data.iloc[:, 0].to_numpy(dtype=np.int64)
    features = data.iloc[:, 1:].to_numpy(dtype=np.float64)
    parts = train_test_split(features, labels, test_size=0.5, random_state=seed)
    scaler = StandardScaler().fit(parts[0])
    train, test = (torch.tensor(scaler.transform(part), dtype=torch.float32) for part in parts[:2])
    train_labels, test_labels = (torch.tensor(part) for part in parts[2:])
    start = time.perf_counter()
    network = fit(train, train_labels, int(train_labels.max()) + 1, seed)
    with torch.no_grad():
        accuracy = (network(test).argmax(1) == test_labels).double().mean().item()
    return accuracy, time.perf_counter() - start


def main():
    torch.set_num_threads(1)
    seed = int(sys.argv[1])
    print("dataset,seed,accuracy,seconds", flush=True)
    names = (name for word in sys.argv[2:] for name in (map(str.strip, sys.stdin) if word == "-" else [word]))
    for path in map(pathlib.Path, names):
        accuracy, seconds = run(path, seed)
        print(f"{path.stem},{seed},{accuracy},{seconds:.6f}", flush=True)


if __name__ == "__main__":
    main()
