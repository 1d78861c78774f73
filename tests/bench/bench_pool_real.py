#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Six runs of the digits example, of different lengths, on two cores: submitted to the pool at once, over one after the
other on two replicas each, and over all at once on a replica each.

A run's completion time counts from the beginning of all. pool.real.mean.sequence and .together are the pool's mean
completion time over that of the two others, pool.real.total.sequence its total time over that of the first; the same
with the policy `fast` behind pool.real.fast. The seconds themselves are printed beside them."""

import json
import os
import statistics
import sys
import tempfile
import time

from own_store import Store

EPOCHS = [24, 8, 40, 4, 16, 12]  # in the order in which they are submitted
CORES = 2
DEVICE = ["--device", "cpu"]  # also where there are GPUs
MODES = ["sequence", "fair", "together", "fast"]
GOALS = {"pool.real.mean.sequence": 1.0, "pool.real.mean.together": 1.0, "pool.real.total.sequence": 1.05,
         "pool.real.fast.mean.sequence": 1.0, "pool.real.fast.mean.together": 1.0, "pool.real.fast.total.sequence": 1.05}


def names():
    yield from GOALS
    yield from (f"pool.real.{what}.{mode}.seconds" for mode in MODES for what in ("mean", "total"))


def train(mode):
    """Seconds until each run has finished."""
    with tempfile.TemporaryDirectory(prefix="pool-", ignore_cleanup_errors=True) as home:
        store = Store(home)
        if mode in ("fair", "fast"):
            store.do("pool", "--policy", mode)
        began = time.time()
        if mode == "sequence":
            for epochs in EPOCHS:
                store.do("run", "--headless", "digits", *DEVICE, "--replicas", str(CORES), "--", "--epochs", str(epochs))
        elif mode == "together":
            runs = [store.start("run", "--headless", "digits", *DEVICE, "--", "--epochs", str(epochs))
                    for epochs in EPOCHS]
            for run in runs:
                run.communicate()
        else:
            for epochs in EPOCHS:
                store.do("submit", "digits", *DEVICE, "--", "--epochs", str(epochs))
            while any(job["state"] not in ("succeeded", "failed", "cancelled")
                      for job in store.ask("queue", "--all")["queue"]):
                time.sleep(0.5)
        runs = store.ask("ls")["runs"]
        if not all(run["state"] == "finished" for run in runs):
            sys.exit(f"{mode}: not all runs finished: {[run['message'] for run in runs]}")
        return [run["ended"] - began for run in runs]


def main():
    if sys.argv[1:] == ["--list"]:
        print("\n".join(names()))
        return
    os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:CORES])  # and of all that is started
    seconds = {}
    for mode in MODES:
        ends = train(mode)
        seconds["mean", mode], seconds["total", mode] = statistics.mean(ends), max(ends)

    def row(name, value, unit, goal=None):
        print(json.dumps({"name": name, "value": value, "unit": unit, "better": "lower", "goal": goal, "runs": 1,
                          "min": value, "max": value}), flush=True)

    for name, goal in GOALS.items():
        *_, what, other = name.split(".")
        ours = seconds[what, "fast" if ".fast." in name else "fair"]
        row(name, ours / seconds[what, other], "ratio", goal)
    for (what, mode), value in seconds.items():
        row(f"pool.real.{what}.{mode}.seconds", value, "s")


if __name__ == "__main__":
    main()
