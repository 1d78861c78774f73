#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A script on AdaptDL as its tutorial has them, with nothing of ours: train.py EPOCHS SECONDS-OF-A-STEP."""

import sys
import time

import adaptdl.torch as adl


class Optimizer:
    def __init__(self):
        self.param_groups, self.updates = [{"lr": 0.1}], 0


def main():
    epochs, seconds = int(sys.argv[1]), float(sys.argv[2])
    train, test = adl.AdaptiveDataLoader(range(1000), batch_size=32), adl.AdaptiveDataLoader(range(100), batch_size=50)
    train.autoscale_batch_size(256, local_bsz_bounds=(8, 64), gradient_accumulation=True)
    optimizer = Optimizer()
    adl.init_process_group("gloo")
    model = adl.AdaptiveDataParallel(None, optimizer)
    for epoch in adl.remaining_epochs_until(epochs):
        for _ in train:
            time.sleep(seconds)
            model()
            optimizer.step()
        sums = adl.Accumulator()
        for batch in test:
            sums["correct"] += 0.75 * len(batch)
            sums["total"] += len(batch)
        with sums.synchronized():
            sums["accuracy"] = sums["correct"] / sums["total"]
            sums["note"] = "no number"


if __name__ == "__main__":
    main()
