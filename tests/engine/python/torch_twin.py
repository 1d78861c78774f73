# SPDX-License-Identifier: Apache-2.0
"""Trains on the samples, and from the weights, of a file: torch_twin.py SETTINGS, a JSON object with "data", the file; "optimizer",
"sgd" or "adam"; "micro_batches", of 8 samples, that each replica takes a step; "epochs". Prints the loss of every micro-batch, after
each gain, learning-rate factor, progress and the gradient's statistics, and the weights at the end. twin.cpp is the same in C++."""
import json
import sys

import batchscope.torch as adl
import torch


def train(settings, data):
    first, second = torch.nn.Linear(5, 4), torch.nn.Linear(4, 1)
    model = torch.nn.Sequential(first, torch.nn.Tanh(), second)
    with torch.no_grad():
        for parameter, values in zip(model.parameters(), data["weights"]):
            parameter.copy_(torch.tensor(values).view_as(parameter))
    dataset = torch.utils.data.TensorDataset(torch.tensor(data["x"]), torch.tensor(data["y"]))
    loader = adl.AdaptiveDataLoader(dataset, batch_size=8, shuffle=True)
    loader.scale_by_replicas(settings["micro_batches"], until_progress=False)
    if settings["optimizer"] == "adam":
        optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    else:
        optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)
    schedule = torch.optim.lr_scheduler.StepLR(optimizer, 1, gamma=0.8)
    wrapped = adl.AdaptiveDataParallel(model, optimizer, schedule)
    losses, steps = [], []
    for _ in adl.remaining_epochs_until(settings["epochs"]):
        for x, y in loader:
            optimizer.zero_grad()
            loss = (wrapped(x).squeeze(1) - y).square().mean()
            loss.backward()
            optimizer.step()
            losses.append(loss.item())
            steps.append([wrapped.gain, wrapped.lr_factor, wrapped.progress, wrapped.grad_sqr, wrapped.grad_var])
        schedule.step()
    return {"losses": losses, "steps": steps, "weights": [parameter.flatten().tolist() for parameter in model.parameters()]}


adl.init_process_group("gloo")
settings = json.loads(sys.argv[1])
with open(settings["data"]) as file:
    print(json.dumps(train(settings, json.load(file))))
