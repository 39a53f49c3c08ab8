"""The networks for images in idiomatic PyTorch, to compare with: the same weights by the same seed, the same loss and
steps. Pixels are ready as numbers; what loading and augmenting would cost is left out.

Usage: pytorch_images.py THREADS      (python3-torch, python3-sklearn, python3-pandas)
Reads lines `NETWORK CHANNELS SIDE BATCHES`; prints `train,score`, seconds a batch of 64."""
import sys
import time

import torch
import torch.nn.functional as F
from torch import nn

BATCH, CLASSES = 64, 10


class Block(nn.Module):
    def __init__(self, inputs, outputs, stride):
        super().__init__()
        self.conv1 = nn.Conv2d(inputs, outputs, 3, stride, 1, bias=False)
        self.bn1 = nn.BatchNorm2d(outputs)
        self.conv2 = nn.Conv2d(outputs, outputs, 3, 1, 1, bias=False)
        self.bn2 = nn.BatchNorm2d(outputs)
        self.shortcut = nn.Sequential()
        if stride != 1 or inputs != outputs:
            self.shortcut = nn.Sequential(nn.Conv2d(inputs, outputs, 1, stride, bias=False), nn.BatchNorm2d(outputs))

    def forward(self, x):
        y = self.bn2(self.conv2(F.relu(self.bn1(self.conv1(x)))))
        return F.relu(y + self.shortcut(x))


class ResNet(nn.Module):
    def __init__(self, channels, classes, widths, blocks):
        super().__init__()
        self.conv1 = nn.Conv2d(channels, widths[0], 3, 1, 1, bias=False)
        self.bn1 = nn.BatchNorm2d(widths[0])
        self.layers = []
        inputs = widths[0]
        for place, width in enumerate(widths):
            parts = []
            for block in range(blocks):
                parts.append(Block(inputs, width, 2 if place and not block else 1))
                inputs = width
            self.layers.append(f"layer{place + 1}")
            setattr(self, self.layers[-1], nn.Sequential(*parts))
        self.linear = nn.Linear(inputs, classes)

    def forward(self, x):
        x = F.relu(self.bn1(self.conv1(x)))
        for name in self.layers:
            x = getattr(self, name)(x)
        return self.linear(F.adaptive_avg_pool2d(x, 1).flatten(1))


class LeNet(nn.Module):
    def __init__(self, channels, classes, side):
        super().__init__()
        self.conv1 = nn.Conv2d(channels, 6, 5)
        self.conv2 = nn.Conv2d(6, 16, 5)
        left = ((side - 4) // 2 - 4) // 2
        self.fc1 = nn.Linear(16 * left * left, 120)
        self.fc2 = nn.Linear(120, 84)
        self.fc3 = nn.Linear(84, classes)

    def forward(self, x):
        x = F.max_pool2d(F.relu(self.conv1(x)), 2)
        x = F.max_pool2d(F.relu(self.conv2(x)), 2)
        return self.fc3(F.relu(self.fc2(F.relu(self.fc1(x.flatten(1))))))


def make_network(name, channels, classes, side):
    if name == "lenet":
        return LeNet(channels, classes, side)
    return ResNet(channels, classes, (16, 32, 64), 1) if name == "resnet8" else \
        ResNet(channels, classes, (64, 128, 256, 512), 2)


class Job:
    """A network with its images, in one memory layout."""

    def __init__(self, name, channels, side, layout):
        torch.manual_seed(1)
        self.network = make_network(name, channels, CLASSES, side).to(memory_format=layout)
        self.images = torch.randn(BATCH, channels, side, side).contiguous(memory_format=layout)
        self.labels = torch.arange(BATCH) % CLASSES
        self.one_hot = F.one_hot(self.labels, CLASSES).float()
        self.optimiser = torch.optim.SGD(self.network.parameters(), lr=0.01, momentum=0.9, weight_decay=5e-4)

    def train(self, loss):
        self.network.train()
        self.optimiser.zero_grad()
        loss(self.network(self.images), self.labels, self.one_hot, CLASSES).mean().backward()
        self.optimiser.step()

    def score(self):
        self.network.eval()
        with torch.no_grad():
            self.network(self.images)


def best(batches, task):
    lowest = float("inf")
    for _ in range(batches):
        start = time.perf_counter()
        task()
        lowest = min(lowest, time.perf_counter() - start)
    return lowest


def main():
    from pytorch_uaspl import uaspl_loss  # pylint: disable=import-outside-toplevel
    torch.set_num_threads(int(sys.argv[1]))
    jobs = {}
    print("train,score", flush=True)
    for line in sys.stdin:
        name, channels, side, batches = line.split()
        key = (name, channels, side)
        if key not in jobs:
            jobs[key] = [Job(name, int(channels), int(side), layout)
                         for layout in (torch.contiguous_format, torch.channels_last)]
        # The faster of its layouts.
        train = min(best(int(batches), lambda job=job: job.train(uaspl_loss)) for job in jobs[key])
        score = min(best(int(batches), job.score) for job in jobs[key])
        print(f"{train:.6f},{score:.6f}", flush=True)


if __name__ == "__main__":
    main()
