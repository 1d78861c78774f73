#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How far goodput falls when the batch size changes: the digits example on two replicas, whose batch size goodput chooses.

Of each change, the median goodput of the 50 steps after it and of the 50 steps after these are taken over that of the 50
steps before. batch-change.drop is the largest fall of the first kind over all seeds, in percent, and
batch-change.drop-later the largest of the second kind, where the size is still in force: it is what a choice that was
wrong costs until it is left. batch-change.changes is how many changes a run had."""

import csv
import io
import json
import statistics
import sys
import tempfile

from own_store import Store

SEEDS = range(1, 11)
STEPS = 50
GOAL = 20  # %
NAMES = ["batch-change.drop", "batch-change.drop-later", "batch-change.changes"]


def recorded(store, name):
    """Goodput and batch size of each step of the run."""
    text = store.do("export", name, "--format", "csv", "--output", "-", "--series", "goodput", "--series", "batch_size")
    found = {"goodput": {}, "batch_size": {}}
    for sample in csv.DictReader(io.StringIO(text)):
        found[sample["series"]][int(sample["step"])] = float(sample["value"])
    return [(value, found["batch_size"][step]) for step, value in sorted(found["goodput"].items()) if step in found["batch_size"]]


def falls(steps):
    """For each change of the batch size how far goodput falls, in percent: in the steps after it, and in those after
    these; None where another change, or the end, came before."""
    changes = [i for i in range(1, len(steps)) if steps[i][1] != steps[i - 1][1]]
    for change, following in zip(changes, [*changes[1:], len(steps)]):
        def goodput(first, last):
            values = [value for value, _ in steps[max(first, 0):last]]
            return statistics.median(values) if len(values) >= STEPS // 2 else None

        before = goodput(change - STEPS, change)
        after = [goodput(change, min(change + STEPS, following)),
                 goodput(change + STEPS, min(change + 2 * STEPS, following))]
        if before:
            yield [None if value is None else 100 * (1 - value / before) for value in after]


def measure(seed):
    with tempfile.TemporaryDirectory(prefix="batch-change-", ignore_cleanup_errors=True) as home:
        store = Store(home)
        store.do("run", "digits", "--device", "cpu", "--replicas", "2", "--name", "digits", "--", "--seed", str(seed))
        return list(falls(recorded(store, "digits")))


def row(name, values, unit, goal=None, better="lower"):
    print(json.dumps({"name": name, "value": max(values) if unit == "%" else statistics.median(values), "unit": unit,
                      "better": better, "goal": goal, "runs": len(SEEDS), "min": min(values), "max": max(values)}), flush=True)


def main():
    if sys.argv[1:] == ["--list"]:
        print("\n".join(NAMES))
        return
    runs = [measure(seed) for seed in SEEDS]
    at_once, later = ([fall[kind] for run in runs for fall in run if fall[kind] is not None] or [0.0] for kind in (0, 1))
    row(NAMES[0], at_once, "%", GOAL)
    row(NAMES[1], later, "%", GOAL)
    row(NAMES[2], [len(run) for run in runs], "changes", better="higher")


if __name__ == "__main__":
    main()
