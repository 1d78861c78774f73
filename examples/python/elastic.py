# SPDX-License-Identifier: Apache-2.0
"""Learns the clouds of clouds.py on any number of replicas, with a batch size that follows goodput: AdaptDL's API, on
BatchScope's engine. It also runs by itself: python3 elastic.py --epochs 5."""

import argparse

import batchscope
import batchscope.torch as adl
import torch
from clouds import clouds
from torch import nn
from torch.nn import functional


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--epochs", type=int, default=20)
    parser.add_argument("--batch-size", type=int, default=64)
    parser.add_argument("--lr", type=float, default=0.05)
    options = parser.parse_args()
    batchscope.hyperparameters(vars(options))

    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(64, 128), nn.ReLU(), nn.Linear(128, 10))
    optimizer = torch.optim.SGD(model.parameters(), lr=options.lr, momentum=0.9)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, options.epochs)
    training, validation = clouds(20_000, 1), clouds(5_000, 2)

    adl.init_process_group()
    loader = adl.AdaptiveDataLoader(training, batch_size=options.batch_size, shuffle=True)
    loader.autoscale_batch_size(1024, local_bsz_bounds=(32, 512), gradient_accumulation=True)
    validation_loader = adl.AdaptiveDataLoader(validation, batch_size=500)
    model = adl.AdaptiveDataParallel(model, optimizer, schedule)

    for epoch in adl.remaining_epochs_until(options.epochs):
        model.train()
        for points, labels in loader:
            optimizer.zero_grad()
            loss = functional.cross_entropy(model(points), labels)
            loss.backward()
            batchscope.record(loss=loss)
            optimizer.step()

        model.eval()
        sums = adl.Accumulator()
        with torch.no_grad():
            for points, labels in validation_loader:
                output = model(points)
                sums["loss"] += functional.cross_entropy(output, labels, reduction="sum").item()
                sums["correct"] += (output.argmax(1) == labels).sum().item()
        with sums.synchronized():
            accuracy = sums["correct"] / len(validation)
            batchscope.record(validation_loss=sums["loss"] / len(validation), accuracy=accuracy)
        schedule.step()
        if adl.env.replica_rank() == 0:
            print(f"epoch {epoch}: accuracy {accuracy:.3f}")


if __name__ == "__main__":
    main()
