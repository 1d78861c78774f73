#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A script as people write it for torchrun: its place is in the environment, and a snapshot of its own, loaded where there is one, is
what a restart goes on from. ddp_script.py EPOCHS SNAPSHOT [--most SAMPLES] [--told [--resume FILE]]. The lines with `batchscope` are all that it
has of BatchScope. The one with `most` lets it choose the batch size. With --told it loads what --resume says, and nothing else."""
import argparse
import os
import time

import torch
from torch import distributed
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

import batchscope.torch


def main(epochs, snapshot, resumed, most):
    distributed.init_process_group("gloo")
    torch.set_num_threads(1)
    rank, local_rank = distributed.get_rank(), int(os.environ["LOCAL_RANK"])
    assert int(os.environ["LOCAL_WORLD_SIZE"]) == distributed.get_world_size() and local_rank == rank == int(os.environ["ROLE_RANK"])
    assert distributed.is_torchelastic_launched() and (os.environ["GROUP_RANK"], os.environ["GROUP_WORLD_SIZE"]) == ("0", "1")
    print(f"start {os.environ['TORCHELASTIC_RESTART_COUNT']} of {os.environ['TORCHELASTIC_RUN_ID']}", flush=True)
    torch.manual_seed(0)
    x = torch.randn(512, 8)
    data = TensorDataset(x, x.sum(1, keepdim=True) + torch.randn(512, 1))
    model = torch.nn.Linear(8, 1)
    begun = 0
    if resumed and os.path.exists(resumed):
        saved = torch.load(resumed)
        model.load_state_dict(saved["model"])
        begun = saved["epoch"]
        print(f"rank {rank} goes on at epoch {begun}", flush=True)
    model = DistributedDataParallel(model)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    monitor = batchscope.torch.monitor(model, optimizer)
    sampler = DistributedSampler(data)
    loader = DataLoader(data, batch_size=16, sampler=sampler)
    if most:
        loader = monitor.adapt(loader, max_batch_size=most)
    for epoch in range(begun, epochs):
        sampler.set_epoch(epoch)
        for x, y in loader:
            optimizer.zero_grad()
            loss = torch.nn.functional.mse_loss(model(x), y)
            time.sleep(0.01)
            loss.backward()
            optimizer.step()
            batchscope.record(loss=loss.item())
        if rank == 0:
            torch.save({"model": model.module.state_dict(), "epoch": epoch + 1}, snapshot + ".new")
            os.replace(snapshot + ".new", snapshot)
    distributed.destroy_process_group()


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("epochs", type=int)
    parser.add_argument("snapshot")
    parser.add_argument("--most", type=int)
    parser.add_argument("--told", action="store_true")
    parser.add_argument("--resume")
    given = parser.parse_args()
    main(given.epochs, given.snapshot, given.resume if given.told else given.snapshot, given.most)
