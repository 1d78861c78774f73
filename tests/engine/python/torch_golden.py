# SPDX-License-Identifier: Apache-2.0
"""Trains a recorded trajectory through batchscope.torch, and prints what it computed at every step:
torch_golden.py adaptdl|fairscale FILE TRAJECTORY. Its data are the samples as they were taken, one after the other."""
import json
import sys

import batchscope.torch as adl
import torch


def taken(trajectory):
    """The samples in the order of a pass, in which the replicas take turns."""
    return [sample for step in trajectory["steps"] for micro_batches in zip(*step["micro_by_rank"])
            for samples in zip(*(micro["samples"] for micro in micro_batches)) for sample in samples]


def play(golden, name):
    trajectory = next(one for one in golden["trajectories"] if one["config"]["name"] == name)
    first, second = torch.nn.Linear(5, 4), torch.nn.Linear(4, 1)
    model = torch.nn.Sequential(first, torch.nn.Tanh(), second)
    with torch.no_grad():
        for parameter, values in zip(model.parameters(), golden["weights"]):
            parameter.copy_(torch.tensor(values).view_as(parameter))
    return trajectory, model, torch.tensor(golden["x"]), torch.tensor(golden["y"])


def loss(model, x, y):
    return (model(x).squeeze(1) - y).square().mean()


def adaptdl(golden, name):
    trajectory, model, x, y = play(golden, name)
    config = trajectory["config"]
    (local, accumulation), = config["schedule"]
    groups = [model] if config["groups"] == 1 else [model[0], model[2]]
    optimizer = torch.optim.SGD([{"params": group.parameters(), "lr": rate} for group, rate in zip(groups, config["lrs"])],
                                lr=0.1, momentum=config["momentum"])
    order = taken(trajectory)
    adl.init_process_group("gloo")
    loader = adl.AdaptiveDataLoader(torch.utils.data.TensorDataset(x[order], y[order]), batch_size=config["init_batch_size"])
    if local == config["init_batch_size"]:
        loader.scale_by_replicas(accumulation + 1, until_progress=False)
    wrapped = adl.AdaptiveDataParallel(model, optimizer)
    steps = []
    for _ in adl.remaining_epochs_until(1):
        for batch in loader:
            optimizer.zero_grad()
            loss(wrapped, *batch).backward()
            optimizer.step()
            if wrapped.require_backward_grad_sync:
                gns = wrapped.gns
                steps.append({"gain": wrapped.gain, "progress_after": wrapped.progress, "sqr_avg": gns.sqr_avg(),
                              "var_avg": gns.var_avg(), "raw_sqr_avg": gns.raw_sqr_avg, "raw_var_avg": gns.raw_var_avg,
                              "accum_scale": gns.accum_scale, "accum_count": gns.accum_count})
                assert gns.gain(gns.accum_scale * gns.accum_count) == wrapped.gain and gns.get_progress() == wrapped.progress
    return {"steps": steps, "weights": [parameter.flatten().tolist() for parameter in model.parameters()]}


def fairscale(golden, name):
    trajectory, model, x, y = play(golden, name)
    config = trajectory["config"]
    adl.init_process_group("gloo")
    optimizer = adl.AdaScale(torch.optim.SGD(model.parameters(), lr=config["lr"], momentum=config["momentum"]),
                             num_gradients_to_accumulate=config["accum"], is_scaled_loss=config["is_scaled_loss"])
    steps = []
    for step in trajectory["steps"]:
        optimizer.zero_grad()
        for micro in step["micro_by_rank"][adl.env.replica_rank()]:
            value = loss(model, x[micro["samples"]], y[micro["samples"]])
            (value / config["accum"] if config["is_scaled_loss"] else value).backward()
        optimizer.step()
        steps.append({"gain": optimizer.gain(), "effective_steps": optimizer.scale_invariant_steps})
    return {"steps": steps}


with open(sys.argv[2]) as file:
    print(json.dumps({"adaptdl": adaptdl, "fairscale": fairscale}[sys.argv[1]](json.load(file), sys.argv[3])))
