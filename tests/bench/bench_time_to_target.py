#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Seconds until the digits example reaches an accuracy on its 10,000 test images, from the start of the program on.

time-to-target.fixedN keeps a batch of N images, with a learning rate that grows by the square root of N, as a person
would choose it; time-to-target.automatic begins with the smallest of them and leaves the size to goodput. Of every
seed each takes its turn, in one run, another one first each time. time-to-target.ratio is automatic over the best fixed
one, whichever that turns out to be, of the sums over the seeds: accuracy is looked at once a pass, a seventh of a run,
and the sum evens that out. time-to-target.batch is the size that automatic had come to, and time-to-target.gainN how
many more images a second a batch of N trains than the smallest: where that is about 1, a small batch is the right
answer. The target takes six passes or more: after three goodput has only just measured what it needs.

BATCHSCOPE_BENCH_TARGET=0.97 asks for another accuracy, BATCHSCOPE_BENCH_REPLICAS=2 for so many replicas."""

import json
import math
import os
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile
import time

GOAL = 1.10
TARGET = float(os.environ.get("BATCHSCOPE_BENCH_TARGET", "0.98"))
REPLICAS = int(os.environ.get("BATCHSCOPE_BENCH_REPLICAS", "1"))
SEEDS = range(1, 6)
FIXED = [32, 64, 128, 256, 512]
EPOCHS, LR = 20, 0.01
LINE = re.compile(r"epoch +(\d+) of \d+ +accuracy ([0-9.]+) .* batch (\d+) ")
DIGITS = pathlib.Path(__file__).resolve().parent.parent / "digits"

NAMES = [f"time-to-target.fixed{size}" for size in FIXED] + ["time-to-target.automatic", "time-to-target.ratio",
                                                            "time-to-target.batch"]
NAMES += [f"time-to-target.gain{size}" for size in FIXED[1:]]


def start(seed, arguments, home):
    """Starts the replicas, of which the first is the one that prints."""
    # One thread: a second one that has to wait for its core makes a small step several times as long.
    environment = dict(os.environ, BATCHSCOPE_CHECKPOINT_INTERVAL="0", BATCHSCOPE_THREADS="1")
    command = [DIGITS, "--epochs", str(EPOCHS), "--seed", str(seed), *arguments]
    processes = []
    for rank in range(REPLICAS):
        if REPLICAS > 1:
            environment |= {"ADAPTDL_NUM_REPLICAS": str(REPLICAS), "ADAPTDL_REPLICA_RANK": str(rank),
                            "BATCHSCOPE_RENDEZVOUS_DIR": home}
        processes.append(subprocess.Popen(command, cwd=home, text=True, env=environment, stdin=subprocess.DEVNULL,
                                          stdout=subprocess.DEVNULL if rank else subprocess.PIPE))
    return processes


def run(seed, arguments):
    """Seconds to the target (infinite where it is missed), the last batch size, and seconds between two epochs."""
    with tempfile.TemporaryDirectory(prefix="time-to-target-") as home:
        started = time.monotonic()
        processes = start(seed, arguments, home)
        reached, batch, ends = float("inf"), 0, []
        for line in processes[0].stdout:
            if not (match := LINE.match(line)):
                continue
            ends.append(time.monotonic())
            batch = int(match[3])
            if float(match[2]) >= TARGET:
                reached = min(reached, ends[-1] - started)
                if len(ends) > 1:
                    break
        for process in processes:
            process.kill()
            process.wait()
    between = [after - before for before, after in zip(ends, ends[1:])]
    return reached, batch, statistics.median(between)


def measure():
    sizes = [*FIXED, "automatic"]
    seconds, epochs, batches = {size: [] for size in sizes}, {size: [] for size in FIXED}, []
    for seed in SEEDS:  # draws its images, once
        with tempfile.TemporaryDirectory(prefix="time-to-target-") as home:
            subprocess.run([DIGITS, "--epochs", "1", "--train-images", "64", "--seed", str(seed)], cwd=home, check=True,
                           stdout=subprocess.DEVNULL)
    for turn, seed in enumerate(SEEDS):
        first = turn % len(sizes)
        for size in sizes[first:] + sizes[:first]:
            if size == "automatic":
                reached, batch, _ = run(seed, ["--batch-size", str(FIXED[0]), "--max-batch-size", str(FIXED[-1]), "--lr", str(LR)])
                batches.append(batch)
            else:
                rate = LR * (size / FIXED[0]) ** 0.5
                reached, _, epoch = run(seed, ["--no-autoscale", "--batch-size", str(size), "--lr", f"{rate:.6f}"])
                epochs[size].append(epoch)
            seconds[size].append(reached)
    return seconds, epochs, batches


def row(name, values, unit, better, goal=None):
    finite = lambda value: value if math.isfinite(value) else None  # the target was missed, and JSON has no infinity
    print(json.dumps({"name": name, "value": finite(statistics.median(values)), "unit": unit, "better": better,
                      "goal": goal, "runs": len(values), "min": finite(min(values)), "max": finite(max(values))}),
          flush=True)


def main():
    if sys.argv[1:] == ["--list"]:
        print("\n".join(NAMES))
        return
    seconds, epochs, batches = measure()
    for size in FIXED:
        row(f"time-to-target.fixed{size}", seconds[size], "s", "lower")
    row("time-to-target.automatic", seconds["automatic"], "s", "lower")
    row("time-to-target.ratio", [sum(seconds["automatic"]) / min(sum(seconds[size]) for size in FIXED)], "ratio", "lower",
        GOAL)
    row("time-to-target.batch", batches, "images", "higher")
    for size in FIXED[1:]:
        row(f"time-to-target.gain{size}", [small / large for small, large in zip(epochs[FIXED[0]], epochs[size])], "ratio",
            "higher")


if __name__ == "__main__":
    main()
