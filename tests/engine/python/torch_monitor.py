# SPDX-License-Identifier: Apache-2.0
"""A replica on DistributedDataParallel that is monitored, once for each case of the first argument, in JSON. It says what the monitor has
measured in each step, and what this replica's gradient is in closed form."""
import contextlib
import json
import os
import sys
import types

import torch
from torch import distributed
from torch.nn.parallel import DistributedDataParallel

import batchscope.torch as adl

SERIES = "gain", "noise_scale", "grad_sqr", "grad_var", "batch_size", "scale", "throughput", "efficiency", "goodput"
FEATURES = 4
DEFAULTS = {"steps": 3, "rate": 0.0, "sizes": [8], "accumulate": 1, "dtype": "float32", "noise": 0.5, "monitor": {}}


class Regression(torch.nn.Module):
    """Prediction of y from x by a weight each, beside one that may be unused and one of a bucket of its own."""

    def __init__(self, has_unused):
        super().__init__()
        self.weights = torch.nn.Parameter(torch.zeros(FEATURES))
        self.unused = torch.nn.Parameter(torch.zeros(3), requires_grad=has_unused)
        self.wide = torch.nn.Parameter(torch.zeros(400_000))

    def forward(self, x=None, keyword=None):
        x = x if keyword is None else keyword
        return x @ self.weights.to(x.dtype) + self.wide.to(x.dtype).sum() * 0


def batch(size, noise, *seed):
    """Data of a micro-batch of a replica: y = x * 1 + noise."""
    generator = torch.Generator().manual_seed(hash(seed))
    x = torch.randn(size, FEATURES, generator=generator)
    return x, x.sum(1) + noise * torch.randn(size, generator=generator)


def train(case, rank):
    kept = getattr(torch, case["dtype"])  # of parameters and gradients
    compute = torch.float32 if kept is torch.float16 else kept
    model = DistributedDataParallel(Regression("unused" in case).to(kept), find_unused_parameters="unused" in case,
                                    gradient_as_bucket_view="view" in case)
    optimizer = torch.optim.SGD([parameter for parameter in model.parameters() if parameter.requires_grad], lr=case["rate"], momentum=0.9)
    if "unmonitored" in case:
        monitor = types.SimpleNamespace(**dict.fromkeys(SERIES))
    else:
        monitor = adl.monitor(model, optimizer, **case["monitor"])
    said = []
    for step in range(case["steps"]):
        optimizer.zero_grad(set_to_none=True)
        weights, gradient = model.module.weights.detach().to(compute), 0
        for micro in range(case["accumulate"]):
            x, y = (data.to(compute) for data in batch(case["sizes"][step % len(case["sizes"])], case["noise"], step, micro, rank))
            gradient += 2 / len(y) * x.T @ (x @ weights - y) / case["accumulate"]
            with contextlib.nullcontext() if micro + 1 == case["accumulate"] or "every" in case else model.no_sync():
                output = model(keyword=x) if "keyword" in case else model(x)
                loss = (output - y).square().mean() / case["accumulate"]
                (loss * float("inf") if step == case.get("skipped") else loss).backward()
        if step != case.get("skipped"):
            if "clip" in case:
                torch.nn.utils.clip_grad_norm_(model.parameters(), 1e-3)
            optimizer.step()
        with torch.no_grad():
            model(torch.zeros(1000, FEATURES, dtype=compute))  # validation
        said.append({**{name: getattr(monitor, name) for name in SERIES}, "gradient": gradient.tolist()})
    return said


rank, replicas = int(os.environ["ADAPTDL_REPLICA_RANK"]), int(os.environ["ADAPTDL_NUM_REPLICAS"])
distributed.init_process_group("gloo", f"file://{os.environ['BATCHSCOPE_RENDEZVOUS_DIR']}/group", rank=rank, world_size=replicas)
torch.set_num_threads(1)
print(json.dumps([train({**DEFAULTS, **case}, rank) for case in json.loads(sys.argv[1])]))
