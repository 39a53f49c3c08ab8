#!/usr/bin/python3
"""Computes adamw.json with PyTorch: the loss of a small network before each step of AdamW, and its logits after them.
Run by hand; the tests read the numbers only."""
import json
import pathlib

import torch
import torch.nn.functional as F

ROWS, INPUTS, CLASSES, SEED, STEPS = 50, 6, 3, 11, 12


def main():
    torch.set_num_threads(1)
    torch.manual_seed(SEED)
    layers = [torch.nn.Linear(INPUTS, 40), torch.nn.Linear(40, 24), torch.nn.Linear(24, CLASSES)]
    network = torch.nn.Sequential(layers[0], torch.nn.GELU(), layers[1], torch.nn.GELU(), layers[2])
    i = torch.arange(ROWS * INPUTS)
    inputs = (((i * i * 7 + i * 13 + i // 97) % 64).float() / 32 - 1).reshape(ROWS, INPUTS)
    labels = torch.arange(ROWS) % CLASSES
    optimiser = torch.optim.AdamW(network.parameters(), lr=0.01, betas=(0.9, 0.95), weight_decay=0.05)
    losses = []
    for _ in range(STEPS):
        optimiser.zero_grad()
        loss = F.cross_entropy(network(inputs), labels)
        losses.append(loss.item())
        loss.backward()
        optimiser.step()
    with torch.no_grad():
        logits = network(inputs[:5])
    file = pathlib.Path(__file__).resolve().parent / "adamw.json"
    file.write_text(json.dumps({"losses": losses, "logits": logits.tolist()}, indent=1) + "\n")


if __name__ == "__main__":
    main()
