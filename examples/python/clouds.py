# SPDX-License-Identifier: Apache-2.0
"""A plain PyTorch script that BatchScope charts, pauses and resumes: a small network learns to tell clouds of points apart. The
lines with `batchscope` chart it. Those with `leave` write a checkpoint when the script is asked to leave, and continue from it. It
also runs by itself: python3 clouds.py --epochs 5."""

import argparse
import os
import pathlib
import signal
import sys

import batchscope
import torch
from torch import nn
from torch.nn import functional

CHECKPOINT = pathlib.Path(os.environ.get("ADAPTDL_CHECKPOINT_PATH", ".")) / "clouds.pt"


def clouds(count, seed):
    generator = torch.Generator().manual_seed(seed)
    centres = torch.randn(10, 64, generator=torch.Generator().manual_seed(0))
    labels = torch.randint(0, 10, (count,), generator=generator)
    return torch.utils.data.TensorDataset(centres[labels] + 2 * torch.randn(count, 64, generator=generator), labels)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--epochs", type=int, default=20)
    parser.add_argument("--batch-size", type=int, default=64)
    parser.add_argument("--lr", type=float, default=0.05)
    options = parser.parse_args()
    batchscope.hyperparameters(vars(options))

    torch.manual_seed(0)
    training = torch.utils.data.DataLoader(clouds(20_000, 1), batch_size=options.batch_size, shuffle=True)
    validation = torch.utils.data.DataLoader(clouds(5_000, 2), batch_size=500)
    model = nn.Sequential(nn.Linear(64, 128), nn.ReLU(), nn.Linear(128, 10))
    optimizer = torch.optim.SGD(model.parameters(), lr=options.lr, momentum=0.9)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, options.epochs)

    parts = {"model": model, "optimizer": optimizer, "schedule": schedule}
    epoch, step, leave = 0, 0, []
    if CHECKPOINT.exists():
        saved = torch.load(CHECKPOINT)
        epoch, step = saved["epoch"], saved["step"]
        for name, part in parts.items():
            part.load_state_dict(saved[name])
    batchscope.restored(step)
    signal.signal(signal.SIGTERM, lambda *_: leave.append(True))

    for epoch in batchscope.epochs(options.epochs, first=epoch):
        model.train()
        for points, labels in batchscope.batches(training):
            optimizer.zero_grad()
            loss = functional.cross_entropy(model(points), labels)
            loss.backward()
            optimizer.step()
            step += 1
            batchscope.step(loss=loss, batch_size=len(points), lr=schedule.get_last_lr()[0])
            if leave:  # the next start repeats this epoch from its beginning, with the present weights
                states = {name: part.state_dict() for name, part in parts.items()}
                torch.save({"epoch": epoch, "step": step, **states}, CHECKPOINT.with_suffix(".new"))
                CHECKPOINT.with_suffix(".new").rename(CHECKPOINT)
                sys.exit(143)
        schedule.step()

        model.eval()
        loss = correct = 0
        with torch.no_grad():
            for points, labels in batchscope.batches(validation, validate=True):
                output = model(points)
                loss += functional.cross_entropy(output, labels, reduction="sum").item()
                correct += (output.argmax(1) == labels).sum().item()
        batchscope.record(validation_loss=loss / len(validation.dataset), accuracy=correct / len(validation.dataset))
        print(f"epoch {epoch}: accuracy {correct / len(validation.dataset):.3f}", flush=True)


if __name__ == "__main__":
    main()
