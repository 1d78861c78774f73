#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Whether predictions come true: runs that restart on one, two and three replicas, and what was predicted and obtained.

Each program trains on 1, 2, 1, 2, 1, 2, 3 replicas in turn, a while on each, with as many cores as there are (auto) or
one a replica (1, where it ends at as many replicas as there are cores). Of the throughput of each restart, as
`batchscope show --json` has it, predict.PROGRAM.CORES.median and .largest are the error on a number of replicas that was
seen before, in percent, and .first that of the first restarts on each that was not; .covered is the share of all that
came out within what was expected. Each run has a store in which a run of another program has shown before how much
replicas cost one another on this machine; with --untaught it has an empty one. With --beside another process takes
half a core meanwhile; with --fixed the programs keep their batch size. The baseline is
predict.PROGRAM.CORES.again: how far what a number of replicas had obtained the time before is from what it obtains.
The machine changes in between, and without --fixed the batch size. predict.PROGRAM.auto12 is how far a run with
--replicas auto:1-2 gets in a minute, over the better of one and of two replicas throughout, which is measured
before and after it: machines become slower and faster in minutes."""

import argparse
import contextlib
import json
import os
import pathlib
import statistics
import sys
import tempfile
import time
from typing import NamedTuple

from own_store import Store, computing

PROGRAMS = {
    "digits": ["digits", "--", "--epochs", "10000"],
    "language_model": ["language_model", "--", "--epochs", "10000"],
    "cifar": ["cifar", "--", "--width", "16", "--epochs", "10000"],
    "dcgan": ["dcgan", "--", "--epochs", "10000"],
}
TEACHERS = {program: "language_model" if program == "digits" else "digits" for program in PROGRAMS}
CORES = sorted(os.sched_getaffinity(0))
SECONDS = 20  # on each number, and as long again until what was obtained is told
SEEDS = range(1, 4)
GOALS = {"median": 5, "largest": 12, "first": 15, "covered": 85, "auto12": 0.98}


def names():
    for program in PROGRAMS:
        for cores in ("auto", "1"):
            yield from (f"predict.{program}.{cores}.{what}" for what in ("median", "largest", "first", "covered", "again"))
        yield f"predict.{program}.auto12"


def with_seed(words, seed):
    return [*words, "--seed", str(seed)]


def train(store, program, cores, seed, turns):
    """Trains on one replica and then on each number of these, a while each, and stops. What `show` says of it."""
    name, *arguments = with_seed(PROGRAMS[program], seed)
    store.do("run", name, "--device", "cpu", "--replicas", "1", "--detach", *arguments)
    if cores == "1":
        store.do("rescale", "latest", "1", "--devices", f"cpu:{CORES[0]}")
    for replicas in turns:
        time.sleep(SECONDS)
        where = ["--devices", ",".join(f"cpu:{core}" for core in CORES[:replicas])] if cores == "1" else []
        store.do("rescale", "latest", str(replicas), *where)
    time.sleep(SECONDS)
    found = store.ask("show", "latest")
    store.do("stop", "latest")
    while store.ask("show", "latest")["run"]["state"] != "stopped":
        time.sleep(0.2)
    return found


class Restart(NamedTuple):
    """A restart as it was predicted, and as it came."""

    replicas: int
    first: bool  # no generation before had so many
    error: float  # of the predicted throughput, in percent
    held: bool  # whether it came out within the range that was expected
    again: float | None  # the error, in percent, if what this number of replicas had before is taken for the prediction


def restarts(program, cores, seed, taught):
    turns = [2, 1, 2, 1, 2, 3] if cores == "auto" else [2, 1, 2, 1, 2]
    with tempfile.TemporaryDirectory(prefix="predict-", ignore_cleanup_errors=True) as home:
        store = Store(home)
        if taught:
            shown = train(store, TEACHERS[program], cores, seed, [2])["goodput"]["parameters"]["contention"]
            print(f"# {TEACHERS[program]} has shown a contention of {shown:.2f}", file=sys.stderr, flush=True)
        found = train(store, program, cores, seed, turns)["generations"]
    told, seen, before = [], {1}, {}
    for generation in found[-len(turns):]:
        predicted, obtained = generation["predicted_throughput"], generation["obtained_throughput"]
        replicas = generation["replicas"]
        if predicted and obtained:
            held = 1 / (1 + generation["predicted_error"]) <= obtained / predicted <= 1 + generation["predicted_error"]
            again = 100 * (before[replicas] / obtained - 1) if before.get(replicas) else None
            told.append(Restart(replicas, replicas not in seen, 100 * (predicted / obtained - 1), held, again))
        seen.add(replicas)
        before[replicas] = obtained or before.get(replicas)
    return told


def progress(program, replicas, seed):
    name, *arguments = with_seed(PROGRAMS[program], seed)
    with tempfile.TemporaryDirectory(prefix="predict-", ignore_cleanup_errors=True) as home:
        store = Store(home)
        report = f"{home}/report.json"
        store.do("run", name, "--device", "cpu", "--replicas", replicas, "--timeout", "60s", "--quiet", "--report", report,
                 *arguments, may_stop=True)  # when its time is up
        return json.loads(pathlib.Path(report).read_text())["final"]["progress"]


def auto_over_fixed(program, seed):
    before = {replicas: progress(program, replicas, seed) for replicas in ("1", "2")}
    better = max(before, key=before.get)
    reached = progress(program, "auto:1-2", seed)
    return reached / statistics.mean([before[better], progress(program, better, seed)])


def row(name, values, unit, better, goal):
    print(json.dumps({"name": name, "value": statistics.median(values), "unit": unit, "better": better, "goal": goal,
                      "runs": len(values), "min": min(values), "max": max(values)}), flush=True)


def measure(program, cores, wanted, seeds, taught):
    first, seen, came_out, again = [], [], [], []
    for seed in seeds:
        for restart in restarts(program, cores, seed, taught):
            print(f"# {program} {cores} seed {seed}: on {restart.replicas} {restart.error:+.0f} %{'' if restart.held else ', not expected'}",
                  file=sys.stderr, flush=True)  # fmt: skip
            came_out.append(100 * restart.held)
            (first if restart.first else seen).append(abs(restart.error))
            if restart.again is not None:
                again.append(abs(restart.again))
    prefix = f"predict.{program}.{cores}."
    for what, values in (("median", seen), ("largest", sorted(seen)[-1:]), ("first", first), ("again", again)):
        if prefix + what in wanted and values:
            row(prefix + what, values, "%", "lower", GOALS.get(what))
    if prefix + "covered" in wanted:
        row(prefix + "covered", [statistics.mean(came_out)], "%", "higher", GOALS["covered"])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--seeds", type=int, default=len(SEEDS))
    parser.add_argument("--untaught", action="store_true")
    parser.add_argument("--beside", action="store_true")
    parser.add_argument("--fixed", action="store_true")
    parser.add_argument("names", nargs="*")
    options = parser.parse_args()
    if options.list:
        print("\n".join(names()))
        return
    wanted = set(options.names or names())
    if options.fixed:
        for words in PROGRAMS.values():
            words.append("--no-autoscale")
    with computing(0.5) if options.beside else contextlib.nullcontext():
        measure_all(options, wanted)


def measure_all(options, wanted):
    for program in PROGRAMS:
        for cores in ("auto", "1"):
            if any(name.startswith(f"predict.{program}.{cores}.") for name in wanted):
                measure(program, cores, wanted, range(1, options.seeds + 1), not options.untaught)
        if f"predict.{program}.auto12" in wanted:
            ratios = [auto_over_fixed(program, seed) for seed in range(1, options.seeds + 1)]
            row(f"predict.{program}.auto12", ratios, "ratio", "higher", GOALS["auto12"])


if __name__ == "__main__":
    main()
