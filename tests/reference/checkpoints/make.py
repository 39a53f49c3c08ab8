#!/usr/bin/python3
"""Writes the checkpoints in this folder with PyTorch (Debian: python3-torch), and expected.json: the bytes of their
tensors. Run by hand; the tests read the files only."""
import collections
import json
import pathlib

import torch
from torch import nn

HERE = pathlib.Path(__file__).resolve().parent


def network():
    torch.manual_seed(5)
    return nn.Sequential(collections.OrderedDict(fc1=nn.Linear(4, 5), gelu=nn.GELU(), fc2=nn.Linear(5, 3)))


def kinds():
    numbers = torch.linspace(-2, 2, 12)
    return {"half": numbers.half(), "bfloat16": numbers.bfloat16(), "double": numbers.double(), "long": torch.arange(-3, 3),
            "byte": torch.arange(5, dtype=torch.uint8), "flag": numbers > 0, "turned": numbers.view(3, 4).t(),
            "part": numbers.view(3, 4)[1:, ::2], "channels_last": numbers.view(1, 3, 2, 2).contiguous(memory_format=torch.channels_last),
            "parameter": nn.Parameter(numbers[:2].clone()), "one": torch.tensor(7.5), "none": torch.zeros(0, 3),
            "same": numbers, "again": numbers, "wide": torch.tensor([3.0, 4.0]).expand(2, 2)[:1]}


def main():
    torch.set_num_threads(1)
    net = network()
    plain = net.state_dict()
    optimiser = torch.optim.SGD(net.parameters(), lr=0.1, momentum=0.9)
    net(torch.ones(2, 4)).sum().backward()
    state = {name: value.clone() for name, value in plain.items()}
    optimiser.step()
    nested = {"net": {f"module.{name}": value for name, value in state.items()}, "acc": 93.25, "epoch": 12,
              "optimizer": optimiser.state_dict()}
    files = {"plain": state, "nested": nested, "kinds": kinds(), "two": {"teacher": state, "student": state}, "whole": net}
    for name, content in files.items():
        torch.save(content, HERE / f"{name}.pth")
    for name in ("plain", "nested", "kinds"):
        torch.save(files[name], HERE / f"{name}_legacy.pth", _use_new_zipfile_serialization=False)

    def expected(tensors):
        return {name: {"shape": list(one.shape),
                       "bytes": bytes(torch.cat([one.detach().reshape(-1)] * 2)[:one.numel()].view(torch.uint8).tolist()).hex()}
                for name, one in tensors.items()}

    (HERE / "expected.json").write_text(json.dumps({"plain": expected(state), "kinds": expected(kinds())}, indent=1) + "\n")


if __name__ == "__main__":
    main()
