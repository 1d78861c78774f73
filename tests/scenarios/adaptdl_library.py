#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A script on AdaptDL's own library, with nothing of ours: ten clouds of points are told apart. adaptdl_library.py EPOCHS"""

import sys

import adaptdl.torch as adl
import torch
from torch import nn
from torch.nn import functional


def clouds(count, seed):
    generator = torch.Generator().manual_seed(seed)
    centres = torch.randn(10, 784, generator=torch.Generator().manual_seed(0))
    labels = torch.randint(0, 10, (count,), generator=generator)
    points = centres[labels] + 12 * torch.randn(count, 784, generator=generator)
    return torch.utils.data.TensorDataset(points, labels)


def train(model, loader, optimizer):
    model.train()
    for points, labels in loader:
        optimizer.zero_grad()
        loss = functional.cross_entropy(model(points), labels)
        loss.backward()
        optimizer.step()


def test(model, loader):
    model.eval()
    sums = adl.Accumulator()
    with torch.no_grad():
        for points, labels in loader:
            output = model(points)
            sums["validation_loss"] += functional.cross_entropy(output, labels, reduction="sum").item()
            sums["correct"] += (output.argmax(1) == labels).sum().item()
    with sums.synchronized():
        sums["validation_loss"] /= len(loader.dataset)
        sums["accuracy"] = sums["correct"] / len(loader.dataset)


def main():
    torch.manual_seed(1)
    adl.init_process_group("gloo")
    training = adl.AdaptiveDataLoader(clouds(8000, 1), batch_size=64, shuffle=True, drop_last=True)
    training.autoscale_batch_size(1024, local_bsz_bounds=(32, 256), gradient_accumulation=True)
    testing = adl.AdaptiveDataLoader(clouds(2000, 2), batch_size=500)
    model = nn.Sequential(nn.Linear(784, 128), nn.ReLU(), nn.Linear(128, 10))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.005)
    scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 10, 0.7)
    model = adl.AdaptiveDataParallel(model, optimizer, scheduler)
    for _ in adl.remaining_epochs_until(int(sys.argv[1])):
        train(model, training, optimizer)
        test(model, testing)
        scheduler.step()


if __name__ == "__main__":
    main()
