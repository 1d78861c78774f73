# SPDX-License-Identifier: Apache-2.0
"""A replica on DistributedDataParallel whose loader is adapted, once for each case of the first argument, in JSON. It prints the sample
numbers of each epoch's batches, the monitor's numbers after each step, and the weights at the end. By a clock of its own a batch takes 10 ms
whatever its size, and the data are noisy, so that larger batches pay."""
import json
import os
import sys
import types

import torch
from torch import distributed
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

import batchscope.torch as adl
from batchscope.torch import bucket_squares, ddp_monitor

DEFAULTS = {"epochs": 3, "samples": 2000, "batch_size": 8, "lr": 1e-4, "optimizer": "SGD", "workers": 0, "adapt": None}


clock = types.SimpleNamespace(now=1.0)
clock.monotonic = lambda: clock.now
bucket_squares.time = ddp_monitor.time = clock


def train(case):
    torch.manual_seed(0)
    x = torch.randn(case["samples"], 4)
    data = TensorDataset(torch.arange(case["samples"]), x, x.sum(1, keepdim=True) + 4 * torch.randn(case["samples"], 1))
    model = DistributedDataParallel(torch.nn.Linear(4, 1))
    optimizer = getattr(torch.optim, case["optimizer"])(model.parameters(), lr=case["lr"])
    monitor = adl.monitor(model, optimizer)
    sampler = DistributedSampler(data)
    loader = monitor.adapt(DataLoader(data, batch_size=case["batch_size"], sampler=sampler, num_workers=case["workers"]), **case["adapt"])
    epochs, steps = [], []
    for epoch in range(case["epochs"]):
        sampler.set_epoch(epoch)
        batches, length = [], len(loader)
        for ids, x, y in loader:
            optimizer.zero_grad()
            loss = torch.nn.functional.mse_loss(model(x), y)
            clock.now += 0.01 + 0.0001 * len(x)
            loss.backward()
            clock.now += 0.002
            before = model.module.weight.detach().clone()
            optimizer.step()
            moved = (before - model.module.weight).detach().norm() / model.module.weight.grad.norm()
            steps.append({"batch_size": monitor.batch_size, "gain": monitor.gain, "scale": monitor.scale, "lr_factor": monitor.lr_factor,
                          "lr": optimizer.param_groups[0]["lr"], "moved": float(moved)})
            batches.append(ids.tolist())
        epochs.append(batches)
    return {"epochs": epochs, "steps": steps, "length": length, "weights": model.module.weight.tolist()}


rank, replicas = int(os.environ["ADAPTDL_REPLICA_RANK"]), int(os.environ["ADAPTDL_NUM_REPLICAS"])
distributed.init_process_group("gloo", f"file://{os.environ['BATCHSCOPE_RENDEZVOUS_DIR']}/group", rank=rank, world_size=replicas)
torch.set_num_threads(1)
print(json.dumps([train({**DEFAULTS, **case}) for case in json.loads(sys.argv[1])]))
