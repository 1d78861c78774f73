# SPDX-License-Identifier: Apache-2.0
"""Trains one small model for each optimizer, side by side, in float64 on batches of 12 samples: torch_sharded.py SETTINGS, a
JSON object with

    how      "plain": loops of PyTorch alone; "whole" or "sharded": optimizers in AdaptiveDataParallel
    epochs   at the end
    and      "clip": gradients are clipped; "accumulate": two micro-batches a step; "adascale": the batch grows with the
             replicas, twelve samples and two micro-batches each, and the learning rate with it; "save": a checkpoint at the end

or "fairscale" and "whole" or "sharded": the case of FairScale's test_oss_adascale.py, test_sequential. Prints what became of it."""
import json
import sys

import batchscope.torch as adl
import torch
from torch import optim

SAMPLES, BATCH = 48, 12


def make_optimizer(name, model):
    *body, weight, bias = model.parameters()
    head = [weight, bias]  # with options of its own
    return {
        "sgd": lambda: optim.SGD([{"params": body}, {"params": head, "lr": 0.02, "momentum": 0.8}], lr=0.05, momentum=0.9),
        "adam": lambda: optim.Adam([{"params": body}, {"params": head, "betas": (0.8, 0.99)}], lr=0.01),
        "adamw": lambda: optim.AdamW([{"params": body}, {"params": head, "amsgrad": True}], lr=0.01),
        "rmsprop": lambda: optim.RMSprop([{"params": body}, {"params": head, "momentum": 0.5}], lr=0.01),
        "adagrad": lambda: optim.Adagrad([{"params": body}, {"params": head, "lr_decay": 0.1}], lr=0.01),
        "adadelta": lambda: optim.Adadelta([{"params": body}, {"params": head, "rho": 0.8}], lr=0.5),
        "nadam": lambda: optim.NAdam([{"params": body}, {"params": head, "lr": 0.02}], lr=0.01),
    }[name]()


class Trainer:
    """A model with all that trains it."""

    def __init__(self, name, how, rule):
        torch.manual_seed(1)
        self.model = torch.nn.Sequential(torch.nn.Linear(5, 8), torch.nn.Tanh(), torch.nn.Linear(8, 6), torch.nn.Tanh(),
                                         torch.nn.Linear(6, 1)).double()
        self.optimizer = make_optimizer(name, self.model)
        if how == "sharded":
            self.optimizer = adl.ShardedOptimizer(self.optimizer)
        self.schedule = optim.lr_scheduler.StepLR(self.optimizer, 1, gamma=0.8)
        self.called, self.gains = self.model, []
        if how != "plain":
            self.called = adl.AdaptiveDataParallel(self.model, self.optimizer, self.schedule, scaling_rule=rule, name=name)

    def learn(self, x, y, clips):
        self.optimizer.zero_grad()
        (self.called(x).squeeze(1) - y).square().mean().backward()
        if clips:
            torch.nn.utils.clip_grad_norm_(self.model.parameters(), 0.3)
        self.optimizer.step()
        self.gains.append(getattr(self.called, "gain", 1))

    def said(self):
        return {"weights": [value for parameter in self.model.parameters() for value in parameter.flatten().tolist()],
                "states": len(self.optimizer.state), "rates": self.schedule.get_last_lr(), "gains": self.gains}


def train(settings):
    how, also = settings["how"], settings.get("and", [])
    torch.manual_seed(0)
    x, y = torch.randn(SAMPLES, 5).double(), torch.randn(SAMPLES).double()
    names = ["sgd", "adam", "adamw", "rmsprop", "adagrad", "adadelta", "nadam"]
    if how == "plain":
        trainers = {name: Trainer(name, how, None) for name in names}
        for _ in range(settings["epochs"]):
            for batch in zip(x.split(BATCH), y.split(BATCH)):
                for trainer in trainers.values():
                    trainer.learn(*batch, "clip" in also)
            for trainer in trainers.values():
                trainer.schedule.step()
    else:
        adl.init_process_group("gloo")
        loader = adl.AdaptiveDataLoader(torch.utils.data.TensorDataset(x, y), batch_size=BATCH)
        rule = adl.scaling_rules.IdentityScale()
        if "accumulate" in also:
            half = BATCH // 2 // adl.env.num_replicas()
            loader.autoscale_batch_size(BATCH, (half, half), gradient_accumulation=True)
        if "adascale" in also:
            loader.scale_by_replicas(2, until_progress=False)
            names, rule = ["sgd"], adl.scaling_rules.AdaScale()
        trainers = {name: Trainer(name, how, rule) for name in names}
        for _ in adl.remaining_epochs_until(settings["epochs"]):
            for batch in loader:
                for trainer in trainers.values():
                    trainer.learn(*batch, "clip" in also)
            for trainer in trainers.values():
                trainer.schedule.step()
        if "save" in also:
            adl.checkpoint.save_all_states()
    return {name: trainer.said() for name, trainer in trainers.items()}


def fairscale(how):
    """Two steps of a chain of matrices, one replica of two with each of the two unit vectors."""
    adl.init_process_group("gloo")
    weights = [torch.nn.Parameter(torch.arange(rows * (rows - 1.0)).view(rows, rows - 1)) for rows in range(3, 7)]
    with torch.no_grad():
        for weight in weights:
            weight /= weight.mean()
    optimizer = optim.SGD(weights, lr=0.1)
    optimizer = adl.AdaScale(adl.ShardedOptimizer(optimizer) if how == "sharded" else optimizer)
    for step in range(2):
        value = torch.eye(2)[(step + adl.env.replica_rank()) % 2]
        for weight in weights:
            value = weight @ value
        optimizer.zero_grad()
        value.sum().backward()
        optimizer.step()
    return {"gain": optimizer.gain(), "mean_weight": sum(weight.mean().item() for weight in weights) / len(weights)}


print(json.dumps(fairscale(sys.argv[2]) if sys.argv[1] == "fairscale" else train(json.loads(sys.argv[1]))))
