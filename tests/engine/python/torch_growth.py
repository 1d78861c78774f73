# SPDX-License-Identifier: Apache-2.0
"""Trains on noisy gradients in steps that take as long whatever their batch, from 10 samples on, and prints the largest batch:
torch_growth.py SINGLE-GRADIENT, 0 or 1."""
import sys
import time

import batchscope.torch as adl
import torch

adl.init_process_group("gloo")
torch.manual_seed(0)
loader = adl.AdaptiveDataLoader(torch.utils.data.TensorDataset(1 + 10 * torch.randn(200, 1)), batch_size=10, shuffle=True)
loader.autoscale_batch_size(80, single_gradient=bool(int(sys.argv[1])))
model = torch.nn.Linear(1, 1, bias=False)
optimizer = torch.optim.SGD(model.parameters(), lr=1e-6)
model = adl.AdaptiveDataParallel(model, optimizer)
largest = 0
for _ in adl.remaining_epochs_until(3):
    for x, in loader:
        largest = max(largest, loader.current_batch_size)
        optimizer.zero_grad()
        model(x).mean().backward()
        optimizer.step()
        time.sleep(0.005)
print(largest)
