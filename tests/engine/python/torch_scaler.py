# SPDX-License-Identifier: Apache-2.0
"""Trains a small model in fp32 on batches of 16 samples, and prints what became of it: torch_scaler.py EPOCHS [scaler] [clip]
[accumulate] [overflow] [save]. Its GradScaler doubles after three steps. overflow: in the sixth step the last replica's gradient is
infinite. save: checkpoints at the end."""
import json
import sys

import batchscope.torch as adl
import torch
from cpu_scaler import Scaler

SAMPLES, BATCH, OVERFLOW = 64, 16, 5


def train(epochs, *how):
    adl.init_process_group("gloo")
    torch.manual_seed(0)
    x, y = torch.randn(SAMPLES, 5), torch.randn(SAMPLES)
    model = torch.nn.Sequential(torch.nn.Linear(5, 8), torch.nn.Tanh(), torch.nn.Linear(8, 1))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)
    scaler = Scaler(growth_interval=3, enabled="scaler" in how)
    loader = adl.AdaptiveDataLoader(torch.utils.data.TensorDataset(x, y), batch_size=BATCH)
    if "accumulate" in how:
        loader.scale_by_replicas(2, until_progress=False)
    wrapped = adl.AdaptiveDataParallel(model, optimizer, None, scaler)
    steps, micro_batches, first = [], loader.accumulation_steps + 1, scaler.get_scale()
    for _ in adl.remaining_epochs_until(epochs):
        for number, (data, target) in enumerate(loader, 1):
            optimizer.zero_grad()
            loss = (wrapped(data).squeeze(1) - target).square().mean()
            last = adl.env.replica_rank() == adl.env.num_replicas() - 1
            if "overflow" in how and last and len(steps) == OVERFLOW:
                loss = loss * torch.inf
            scaler.scale(loss).backward()
            if "clip" in how and number % micro_batches == 0:
                scaler.unscale_(optimizer)
                torch.nn.utils.clip_grad_norm_(model.parameters(), 0.5)
            scaler.step(optimizer)
            scaler.update()
            if number % micro_batches == 0:
                steps.append({"gain": wrapped.gain, "progress": wrapped.progress, "scale": scaler.get_scale(),
                              "bias": model[2].bias.item()})
    if "save" in how:
        adl.checkpoint.save_all_states()
    weights = [value for parameter in model.parameters() for value in parameter.flatten().tolist()]
    return {"first_scale": first, "steps": steps, "weights": weights, "scaler": scaler.state_dict()}


print(json.dumps(train(int(sys.argv[1]), *sys.argv[2:])))
