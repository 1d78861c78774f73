# SPDX-License-Identifier: Apache-2.0
"""Trains a small model in fp64 whose noise comes from the examples of its batches: torch_examples.py EPOCHS [gradients] [scaler] [doubled]
[save]. Prints after each step the averages and the gain, and first the gradient of each of this replica's examples. gradients: the noise
comes from successive gradients. doubled: the layers are called on each sample twice. save: checkpoints at the end."""
import json
import os
import sys
import tempfile

import batchscope.torch as adl
import torch
from cpu_scaler import Scaler
from torch.nn.functional import mse_loss

SAMPLES, BATCH = 40, 12  # the last batch of an epoch has 4


class Doubled(torch.nn.Module):
    def __init__(self, layers):
        super().__init__()
        self.layers = layers

    def forward(self, x):
        return self.layers(torch.cat([x, x]))[:len(x)]


def flat(gradients, groups):
    """The gradients by group, each in one list."""
    return [torch.cat([gradients[id(parameter)].reshape(-1) for parameter in group]).tolist() for group in groups]


def gradients_of(model, groups, x, y):
    parameters = [parameter for group in groups for parameter in group]
    found = [torch.autograd.grad(mse_loss(model(x[i:i + 1]), y[i:i + 1]), parameters) for i in range(len(x))]
    return [flat(dict(zip(map(id, parameters), gradients)), groups) for gradients in found]


def train(epochs, *how):
    adl.init_process_group("gloo")
    torch.manual_seed(0)
    x, y = torch.randn(SAMPLES, 5).double(), torch.randn(SAMPLES, 2).double()
    model = torch.nn.Sequential(torch.nn.Linear(5, 8), torch.nn.Tanh(), torch.nn.Linear(8, 8), torch.nn.LayerNorm(8),
                                torch.nn.Linear(8, 2)).double()
    model = Doubled(model) if "doubled" in how else model
    groups = [[parameter for parameter in model.parameters() if (parameter.dim() > 1) == is_matrix] for is_matrix in (True, False)]
    optimizer = torch.optim.SGD([{"params": group} for group in groups], lr=0.05, momentum=0.9)
    scaler = Scaler(growth_interval=3, enabled="scaler" in how)
    loader = adl.AdaptiveDataLoader(torch.utils.data.TensorDataset(x, y), batch_size=BATCH, shuffle=True)
    wrapped = adl.AdaptiveDataParallel(model, optimizer, None, scaler, noise_from="gradients" if "gradients" in how else "examples")
    first, steps = [wrapped.gns.sqr_avg(), wrapped.gns.var_avg()], []
    for _ in adl.remaining_epochs_until(epochs):
        for data, target in loader:
            gradients = gradients_of(model, groups, data, target)
            optimizer.zero_grad()
            scaler.scale(mse_loss(wrapped(data), target)).backward()
            scaler.step(optimizer)
            scaler.update()
            steps.append({"gradients": gradients, "sqr": wrapped.grad_sqr, "var": wrapped.grad_var, "gain": wrapped.gain})
    if "save" in how:
        adl.checkpoint.save_all_states()
    return {"first": first, "steps": steps, "weights": [parameter.tolist() for parameter in model.parameters()]}


with tempfile.TemporaryFile("w+") as errors:
    stderr = os.dup(2)
    os.dup2(errors.fileno(), 2)
    try:
        found = train(int(sys.argv[1]), *sys.argv[2:])
    finally:
        os.dup2(stderr, 2)
        errors.seek(0)
        said = errors.read()
        sys.stderr.write(said)
print(json.dumps({**found, "notices": [line for line in said.splitlines() if line.startswith("batchscope: ")]}))
