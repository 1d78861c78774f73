# SPDX-License-Identifier: Apache-2.0
"""Trains on a stream of the numbers below LENGTH, and prints the numbers of every micro-batch, or the error that ends it:
torch_stream.py LENGTH EPOCHS [HOW ..]. The last line says how many samples were read. HOW:
    accumulate, grow: a batch size of several micro-batches, or one that may grow
    drop_last, validate: as the loader's arguments
    skip: the dataset can skip; turn: each epoch begins one number later
    shards: the dataset is shards of ten numbers and one of none, shuffled
    stop=N: leaves, with a checkpoint, behind so many steps
    once: can be iterated over once only; shared: the dataset shares its numbers out itself"""
import json
import os
import signal
import sys
import time

import batchscope.torch as adl
import torch
from torch.utils.data import IterableDataset

BATCH = 6
how = dict(word.partition("=")[::2] for word in sys.argv[3:])


class Numbers(IterableDataset):
    reads = 0

    def __init__(self, length):
        self.length, self.first, self.turn, self.used = length, 0, 0, False

    def __iter__(self):
        if "once" in how and self.used:
            return
        self.used = True
        for number in range(self.first, self.length):
            if "shared" in how and number % adl.env.num_replicas() != adl.env.replica_rank():
                continue
            Numbers.reads += 1
            yield (number + self.turn) % self.length


class Turning(Numbers):
    def set_epoch(self, epoch):
        self.turn = epoch


class Skipping(Numbers):
    def skip(self, count):
        rest = Skipping(self.length)
        rest.first = count
        return rest


def read(shard):
    for number in shard:
        Numbers.reads += 1
        yield number


def shards(length):
    return adl.Shards([range(first, min(first + 10, length)) for first in range(0, length, 10)] + [()], read, shuffle=True)


def train(length, epochs):
    adl.init_process_group("gloo")
    torch.manual_seed(0)
    kind = Turning if "turn" in how else Skipping if "skip" in how else shards if "shards" in how else Numbers
    loader = adl.AdaptiveDataLoader(kind(length), BATCH, drop_last="drop_last" in how)
    validation = adl.AdaptiveDataLoader(kind(length), BATCH, training=False) if "validate" in how else None
    if "accumulate" in how:
        loader.scale_by_replicas(2)
    if "grow" in how:
        loader.autoscale_batch_size(64, single_gradient=True)
    model = torch.nn.Linear(1, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-6)
    wrapped = adl.AdaptiveDataParallel(model, optimizer)
    steps = 0
    for epoch in adl.remaining_epochs_until(epochs):
        for numbers in loader:
            optimizer.zero_grad()
            wrapped(numbers.unsqueeze(1) / length + 10 * torch.randn(len(numbers), 1)).mean().backward()
            optimizer.step()
            if "grow" in how:
                time.sleep(0.005)  # whatever the batch, so that larger ones are better
            print(json.dumps({"epoch": epoch, "numbers": numbers.tolist(), "size": loader.current_batch_size}))
            steps += 1
            if str(steps) == how.get("stop"):
                os.kill(os.getpid(), signal.SIGTERM)
        for numbers in () if validation is None else validation:
            print(json.dumps({"epoch": epoch, "validated": numbers.tolist()}))
    print(json.dumps({"reads": Numbers.reads}))


try:
    train(int(sys.argv[1]), int(sys.argv[2]))
except (ValueError, RuntimeError) as error:
    print(json.dumps({"error": str(error)}))
