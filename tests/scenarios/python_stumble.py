#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Trains on batchscope.torch, with the optimizer's state shared out; in its first generation rank 1 stumbles in step 40: python_stumble.py EPOCHS."""
import sys
import time

import batchscope.torch as adl
import torch

adl.init_process_group()
loader = adl.AdaptiveDataLoader(torch.utils.data.TensorDataset(torch.randn(160, 1)), batch_size=8)
model = torch.nn.Linear(1, 1)
optimizer = adl.ShardedOptimizer(torch.optim.Adam(model.parameters(), lr=1e-3))
model = adl.AdaptiveDataParallel(model, optimizer)
steps = 0
for epoch in adl.remaining_epochs_until(int(sys.argv[1])):
    for x, in loader:
        optimizer.zero_grad()
        model(x).square().mean().backward()
        optimizer.step()
        time.sleep(0.01)
        steps += 1
        if steps == 40 and adl.env.num_restarts() == 0 and adl.env.replica_rank() == 1:
            raise ValueError("the sky is falling")
