# SPDX-License-Identifier: Apache-2.0
"""Trains a small convolutional network on next to no data by batchscope.torch: what bench_restart restarts under PyTorch."""
import batchscope.torch as adl
import torch
from torch import nn

torch.manual_seed(0)
data = torch.utils.data.TensorDataset(torch.randn(4096, 1, 8, 8), torch.randint(10, (4096,)))
adl.init_process_group("gloo")
model = nn.Sequential(nn.Conv2d(1, 16, 3, 1, 1), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(), nn.Linear(256, 10))
optimizer = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9)
loader = adl.AdaptiveDataLoader(data, batch_size=32)
model = adl.AdaptiveDataParallel(model, optimizer)
for _ in adl.remaining_epochs_until(1000):
    for inputs, targets in loader:
        optimizer.zero_grad()
        nn.functional.cross_entropy(model(inputs), targets).backward()
        optimizer.step()
