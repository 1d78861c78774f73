# SPDX-License-Identifier: Apache-2.0
"""Trains on the batches of PyTorch's own DataLoader; prints "trained", or why it may not."""
import batchscope.torch as adl
import torch

adl.init_process_group("gloo")
model = torch.nn.Linear(1, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
model = adl.AdaptiveDataParallel(model, optimizer)
try:
    for x in torch.utils.data.DataLoader(torch.ones(8, 1), batch_size=4):
        optimizer.zero_grad()
        model(x).mean().backward()
        optimizer.step()
    print("trained")
except RuntimeError as error:
    print(error)
