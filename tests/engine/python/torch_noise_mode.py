# SPDX-License-Identifier: Apache-2.0
"""Trains while the gradient falls and its noise stays, and prints the noise scale over the initial batch: torch_noise_mode.py MODE."""
import sys

import batchscope.torch as adl
import torch

adl.init_process_group("gloo")
torch.manual_seed(0)
x = torch.randn(4000, 4)
data = torch.utils.data.TensorDataset(x, x.sum(1, keepdim=True) + torch.randn(4000, 1))
loader = adl.AdaptiveDataLoader(data, batch_size=10, shuffle=True)
model = torch.nn.Linear(4, 1, bias=False)
optimizer = torch.optim.SGD(model.parameters(), lr=0.003)
model = adl.AdaptiveDataParallel(model, optimizer, noise_mode=sys.argv[1])
for _ in adl.remaining_epochs_until(1):
    for inputs, targets in loader:
        optimizer.zero_grad()
        torch.nn.functional.mse_loss(model(inputs), targets).backward()
        optimizer.step()
print(model.gns.var_avg() / model.gns.sqr_avg())
