# SPDX-License-Identifier: Apache-2.0
"""Trains a small model in fp32 by AdaScale with a GradScaler, steps of two gradients, and prints what became of it:
torch_adascale_scaler.py [scaler] [clip] [overflow] [restored]. overflow: in the sixth step the last replica's gradient is infinite.
restored: half way, all is thrown away and made anew from state_dict()."""
import json
import sys

import batchscope.torch as adl
import torch
from cpu_scaler import Scaler

STEPS, BATCH, OVERFLOW = 12, 8, 5


class Training:
    def __init__(self, scaled):
        torch.manual_seed(0)
        self.model = torch.nn.Sequential(torch.nn.Linear(5, 8), torch.nn.Tanh(), torch.nn.Linear(8, 1))
        self.scaler = Scaler(growth_interval=3, enabled=scaled)
        self.optimizer = adl.AdaScale(torch.optim.SGD(self.model.parameters(), lr=0.05, momentum=0.9),
                                      num_gradients_to_accumulate=2, mp_scaler=self.scaler)

    def parts(self):
        return self.model, self.optimizer, self.scaler


def train(*how):
    adl.init_process_group("gloo")
    training = Training("scaler" in how)
    random = torch.Generator().manual_seed(1 + adl.env.replica_rank())
    steps = []
    for number in range(STEPS):
        if "restored" in how and number == STEPS // 2:
            states = [part.state_dict() for part in training.parts()]
            training = Training("scaler" in how)
            for part, state in zip(training.parts(), states):
                part.load_state_dict(state)
        model, optimizer, scaler = training.parts()
        optimizer.zero_grad()
        for _ in range(2):
            x, y = torch.randn(BATCH, 5, generator=random), torch.randn(BATCH, generator=random)
            loss = (model(x).squeeze(1) - y).square().mean() / 2
            last = adl.env.replica_rank() == adl.env.num_replicas() - 1
            scaler.scale(loss * torch.inf if "overflow" in how and last and number == OVERFLOW else loss).backward()
        if "clip" in how:
            scaler.unscale_(optimizer)
            torch.nn.utils.clip_grad_norm_(model.parameters(), 0.5)
        scaler.step(optimizer)
        scaler.update()
        steps.append({"gain": optimizer.gain(), "iterations": optimizer.scale_invariant_steps, "scale": scaler.get_scale(),
                      "averages": optimizer.state_dict()["adascale"], "bias": model[2].bias.item()})
    weights = [value for parameter in model.parameters() for value in parameter.flatten().tolist()]
    return {"steps": steps, "weights": weights, "scaler": scaler.state_dict()}


print(json.dumps(train(*sys.argv[1:])))
