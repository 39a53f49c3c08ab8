#!/usr/bin/python3
"""Computes torch_networks.json with PyTorch: first weights of the networks for images, and their logits after some steps.
Run by hand; the tests read the numbers only."""
import json
import pathlib
import sys

import torch
import torch.nn.functional as F

HERE = pathlib.Path(__file__).resolve().parent
sys.path.append(str(HERE.parent.parent / "bench"))
import pytorch_images  # noqa: E402

CLASSES, SEED = 3, 11


def case(name, channels, side, rows, steps, rate):
    torch.manual_seed(SEED)
    network = pytorch_images.make_network(name, channels, CLASSES, side)
    tensors = {key: {"shape": list(value.shape), "first": value.flatten()[0].item(), "last": value.flatten()[-1].item()}
               for key, value in network.state_dict().items() if not key.endswith("num_batches_tracked")}
    i = torch.arange(rows * channels * side * side)
    pixels = ((i * i * 7 + i * 13 + i // 97) % 256).reshape(rows, channels, side, side)
    images = (pixels.float() / 255 - 0.5) / 0.25
    labels = torch.arange(rows) % CLASSES
    optimiser = torch.optim.SGD(network.parameters(), lr=rate, momentum=0.9, weight_decay=5e-4)
    for _ in range(steps):
        optimiser.zero_grad()
        F.cross_entropy(network(images), labels).backward()
        optimiser.step()
    network.eval()
    with torch.no_grad():
        logits = network(images)
    return {"channels": channels, "side": side, "rows": rows, "steps": steps, "rate": rate, "tensors": tensors,
            "logits": logits.tolist()}


def main():
    torch.set_num_threads(1)
    cases = {"lenet": case("lenet", 1, 28, 8, 3, 0.1), "resnet8": case("resnet8", 3, 12, 8, 3, 0.02),
             "resnet18": case("resnet18", 1, 8, 8, 2, 0.005)}
    (HERE / "torch_networks.json").write_text(json.dumps(cases, indent=1) + "\n")


if __name__ == "__main__":
    main()
