#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Sweeps of two examples on two cores, with early stopping and without, and on elastic allocations and fixed ones.

sweep.asha.PROGRAM: 32 points of Sobol's sequence, each trained to its end (`none`), and the same points with `asha` at
rungs in scale-invariant iterations. The value is the quotient of the device-seconds after which the best value so far
lay within the margin of the best value that either of them has found: none over asha. The margin is 0.2 points of
accuracy for digits, and 1 percent of the perplexity for language_model: in both about twice what another seed changes
(examples/table2). Legs count in the order in which they ended. Where `none` never comes so near all of it counts; where
asha does not, there is no value. sweep.asha.PROGRAM.seconds are asha's, .none.seconds the other's, and .total is the
quotient of all that the two took.

sweep.elastic: the time from the beginning to the end of a sweep whose trials have as many devices as the pool gives
them, over that of the same trials on one device each.

With BATCHSCOPE_REHEARSE set everything is small, and says nothing."""

import json
import os
import pathlib
import sys
import tempfile

from own_store import Store

CORES = 2
REHEARSE = "BATCHSCOPE_REHEARSE" in os.environ
TRIALS = 4 if REHEARSE else 32
ELASTIC_TRIALS = 2 if REHEARSE else 12
GOAL, GOAL_ELASTIC = 3.0, 1.0

SPACE = """
[parameter.lr]
min = {least}
max = {most}
scale = "log"

[parameter.momentum]
min = 0.0
max = 0.99

[parameter.micro-batches]
values = [1, 4]
"""
ASHA = """
[stop]
kind = "asha"
min = {min}
"""
# Name: what is trained, the bounds of the rate, the first rung, and the worst value that counts as good. A pass over the data
# takes 188 and 281 scale-invariant iterations: the first rung lies behind the first value of the metric.
TASKS = {
    "digits": ('recipe = "digits"\nmetric = "accuracy"\ngoal = "max"\n'
               'arguments = ["--train-images", "6000", "--epochs", "{epochs}"]\n',
               ("1e-4", "1.0"), 200, lambda best: best - 0.002),
    "language_model": ('program = "language_model"\nmetric = "perplexity"\ngoal = "min"\n'
                       'arguments = ["--words", "40000", "--size", "16", "--epochs", "{epochs}"]\n',
                       ("1e-3", "10.0"), 290, lambda best: 1.01 * best),
}


def names():
    for task in TASKS:
        yield f"sweep.asha.{task}"
        yield from (f"sweep.asha.{task}.{part}" for part in ("seconds", "none.seconds", "total"))
    yield "sweep.elastic"
    yield from (f"sweep.elastic.{kind}.seconds" for kind in ("pool", "fixed"))


def file_of(task, stopped, trials, replicas):
    head, (least, most), first, _ = TASKS[task]
    text = head.format(epochs=2 if REHEARSE else 20)
    text += f'method = "sobol"\ntrials = {trials}\nreplicas = "{replicas}"\ndevice = "cpu"\n'
    return text + (ASHA.format(min=first) if stopped else "") + SPACE.format(least=least, most=most)


def train(text):
    """The sweep of this file when it is over, as `sweep status --json` has it."""
    with tempfile.TemporaryDirectory(prefix="sweep-", ignore_cleanup_errors=True) as home:
        store = Store(home)
        pathlib.Path(home, "bench.toml").write_text(text)
        store.do("sweep", "run", "--headless", "bench.toml")
        return store.ask("sweep", "status", "bench")


def by_end(sweep):
    return sorted((leg for leg in sweep["legs"] if leg["ended"]), key=lambda leg: leg["ended"])


def values(sweep):
    return [leg["value"] for leg in sweep["legs"] if leg["value"] is not None]


def seconds_until(sweep, reached):
    """Device-seconds of all legs up to the first whose value is good enough; None where there is none."""
    seconds = 0
    for leg in by_end(sweep):
        seconds += 3600 * leg["device_hours"]
        if leg["value"] is not None and reached(leg["value"]):
            return seconds
    return None


def row(name, value, unit, better="lower", goal=None):
    print(json.dumps({"name": name, "value": value, "unit": unit, "better": better, "goal": goal, "runs": 1,
                      "min": value, "max": value}), flush=True)


def asha(task):
    none, stopped = (train(file_of(task, is_stopped, TRIALS, 1)) for is_stopped in (False, True))
    maximised = none["sweep"]["goal"] == "max"
    best = (max if maximised else min)(values(none) + values(stopped))
    margin = TASKS[task][3](best)
    reached = (lambda value: value >= margin) if maximised else (lambda value: value <= margin)
    base = seconds_until(none, reached) or 3600 * none["sweep"]["device_hours"]
    seconds = seconds_until(stopped, reached)
    row(f"sweep.asha.{task}", base / seconds if seconds else None, "ratio", "higher", GOAL)
    row(f"sweep.asha.{task}.seconds", seconds, "s")
    row(f"sweep.asha.{task}.none.seconds", base, "s")
    row(f"sweep.asha.{task}.total", none["sweep"]["device_hours"] / stopped["sweep"]["device_hours"], "ratio", "higher")


def elastic():
    def makespan(replicas):
        sweep = train(file_of("digits", True, ELASTIC_TRIALS, replicas))["sweep"]
        return sweep["ended"] - sweep["created"]

    fixed, pool = makespan("1"), makespan(f"1-{CORES}")
    row("sweep.elastic", pool / fixed, "ratio", "lower", GOAL_ELASTIC)
    row("sweep.elastic.pool.seconds", pool, "s")
    row("sweep.elastic.fixed.seconds", fixed, "s")


def main():
    if sys.argv[1:] == ["--list"]:
        print("\n".join(names()))
        return
    chosen = sys.argv[1:] or list(names())
    os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:CORES])  # and of all that is started
    for task in TASKS:
        if any(name.startswith(f"sweep.asha.{task}") for name in chosen):
            asha(task)
    if any(name.startswith("sweep.elastic") for name in chosen):
        elastic()


if __name__ == "__main__":
    main()
