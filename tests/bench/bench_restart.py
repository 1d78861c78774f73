#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Seconds of a planned restart, from the last step before it to the first finished step after, from one replica or
two to one or two.

restart.AtoB is the digits example, forked from the fork server; restart.AtoB.executed is the baseline in the same
run (the two take turns), restart.AtoB.PART are the parts that a forked one is made of. restart.resnet18 is forked
as well, over all pairs, with the 45 MB of ResNet-18's parameters and as much momentum in its checkpoint, and with a
step of its own that takes a tenth of a second. restart.cold is a start of the digits example from nothing, to its
first finished step. python.restart.AtoB is a small network's under PyTorch, forked. Fails where a generation did not
come about in the way that its name claims.

BATCHSCOPE_BENCH_RUN has further arguments for `batchscope run`: on a GPU "--device cuda --oversubscribe". With
BATCHSCOPE_REHEARSE set there is one run of each kind; BATCHSCOPE_BENCH_RUNS says how many there are."""

import collections
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

GOAL, GOAL_RESNET18, GOAL_PYTHON = 0.10, 0.35, 0.15  # s
CYCLE = [1, 2, 2, 1]  # from 1: every pair of counts once
RUNS = 1 if os.environ.get("BATCHSCOPE_REHEARSE") else int(os.environ.get("BATCHSCOPE_BENCH_RUNS", 2))  # of each kind
PAIRS = ["1to1", "1to2", "2to2", "2to1"]
PARTS = ["checkpoint", "stop", "launch", "restore", "first step"]

BENCHES = pathlib.Path(__file__).resolve().parent
PROGRAMS = BENCHES.parent
# Steps between two restarts, and cycles of one run, the first of which warms up.
DIGITS = {"program": ["digits"], "arguments": ["--no-autoscale", "--epochs", "100"], "steps": 30, "cycles": 3}
RESNET18 = {"program": [BENCHES / "restart_resnet18"], "arguments": [], "steps": 20, "cycles": 2}
# A script's fork server loads while the first generation trains, which is executed.
PYTHON = {"program": [os.environ.get("PYTHON", "/usr/bin/python3")], "arguments": [BENCHES / "small_network"],
          "first": 3000, "steps": 100, "cycles": 2, "executed": 1}


def names():
    for pair in PAIRS:
        yield f"restart.{pair}"
        yield f"restart.{pair}.executed"
        yield from (f"restart.{pair}.{part.replace(' ', '-')}" for part in PARTS)
    yield "restart.resnet18"
    yield "restart.cold"
    if list((PROGRAMS / "python/batchscope").glob("_engine.*")):  # batchscope.torch was built
        yield from (f"python.restart.{pair}" for pair in PAIRS)


def run(task, forked):
    """Runs once. Returns the seconds of its start, and its generations after the first cycle with those before them."""
    counts = CYCLE * task["cycles"]
    with tempfile.TemporaryDirectory(prefix="restart-") as home:
        environment = dict(os.environ, BATCHSCOPE_DB=f"{home}/runs.db", XDG_DATA_HOME=home, XDG_STATE_HOME=home)
        environment.pop("BATCHSCOPE_FORK_SERVER", None)
        if not forked:
            environment["BATCHSCOPE_FORK_SERVER"] = "off"
        steps = [task.get("first", task["steps"]) + task["steps"] * i for i in range(len(counts) + 1)]
        triggers = [f"step={step}:replicas={count}" for step, count in zip(steps, counts)] + [f"step={steps[-1]}:stop"]
        command = [PROGRAMS / "batchscope", "run", "--headless", *task["program"], "--replicas", "1",
                   *os.environ.get("BATCHSCOPE_BENCH_RUN", "").split()]
        command += [word for trigger in triggers for word in ("--at", trigger)]
        started = time.time()
        done = subprocess.run([*command, "--", *task["arguments"]], env=environment, capture_output=True, text=True,
                              stdin=subprocess.DEVNULL)
        shown = subprocess.run([PROGRAMS / "batchscope", "show", "latest", "--json"], env=environment,
                               capture_output=True, text=True, check=True)
    seen = json.loads(shown.stdout)
    generations, events = seen["generations"], seen["events"]
    if len(generations) != len(counts) + 1:
        sys.exit(f"{len(generations)} generations and not {len(counts) + 1}:\n{done.stdout}{done.stderr}")
    told = sum(event["text"].endswith(", forked") for event in events)
    if told != (len(generations) - task.get("executed", 0) if forked else 0):
        sys.exit(f"{told} of {len(generations)} generations were forked")
    trains = next(event["time"] for event in events if event["text"].startswith("training on"))
    return trains - started, list(zip(generations, generations[1:]))[len(CYCLE):]


def measure(wanted):
    values = collections.defaultdict(list)
    for _ in range(RUNS):
        if any(name.startswith("restart.") for name in wanted - {"restart.resnet18"}):
            for forked in (True, False) if any(name.endswith(".executed") for name in wanted) else (True,):
                start, restarts = run(DIGITS, forked)
                values["restart.cold"].append(start)
                for before, after in restarts:
                    name = f"restart.{before['replicas']}to{after['replicas']}"
                    values[name if forked else name + ".executed"].append(after["pause"])
                    if forked:
                        for part in PARTS:
                            values[f"{name}.{part.replace(' ', '-')}"].append(after["pause_parts"].get(part, 0))
        if "restart.resnet18" in wanted:
            values["restart.resnet18"] += [after["pause"] for _, after in run(RESNET18, True)[1]]
        if any(name.startswith("python.") for name in wanted):
            for before, after in run(PYTHON, True)[1]:
                values[f"python.restart.{before['replicas']}to{after['replicas']}"].append(after["pause"])
    return values


def main():
    if sys.argv[1:] == ["--list"]:
        print("\n".join(names()))
        return
    wanted = set(sys.argv[1:]) or set(names())
    values = measure(wanted)
    goals = {f"restart.{pair}": GOAL for pair in PAIRS} | {"restart.resnet18": GOAL_RESNET18}
    goals |= {f"python.restart.{pair}": GOAL_PYTHON for pair in PAIRS}
    for name in names():
        if name in wanted:
            print(json.dumps({"name": name, "value": statistics.median(values[name]), "unit": "s", "better": "lower",
                              "goal": goals.get(name), "runs": len(values[name]),
                              "min": min(values[name]), "max": max(values[name])}))


if __name__ == "__main__":
    main()
