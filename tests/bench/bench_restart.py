#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Seconds of a planned restart of the digits example, from the last step before it to the first finished step
after, from one replica or two to one or two.

restart.AtoB is forked from the fork server, restart.AtoB.executed is the baseline in the same run (the two take
turns), restart.AtoB.PART are the parts that a forked one is made of. Fails where a generation did not come about
in the way that its name claims."""

import collections
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile

GOAL = 0.10  # s
STEPS = 30  # between two restarts
CYCLE = [1, 2, 2, 1]  # from 1: every pair of counts once
CYCLES = 3  # of one run; the first warms up
RUNS = 2  # of each kind
PAIRS = ["1to1", "1to2", "2to2", "2to1"]
PARTS = ["checkpoint", "stop", "launch", "restore", "first step"]

PROGRAMS = pathlib.Path(__file__).resolve().parent.parent


def names():
    for pair in PAIRS:
        yield f"restart.{pair}"
        yield f"restart.{pair}.executed"
        yield from (f"restart.{pair}.{part.replace(' ', '-')}" for part in PARTS)


def run(forked):
    """The generations after the first cycle, each with its pause and parts."""
    counts = CYCLE * CYCLES
    with tempfile.TemporaryDirectory(prefix="restart-") as home:
        environment = dict(os.environ, BATCHSCOPE_DB=f"{home}/runs.db", XDG_DATA_HOME=home, XDG_STATE_HOME=home)
        environment.pop("BATCHSCOPE_FORK_SERVER", None)
        if not forked:
            environment["BATCHSCOPE_FORK_SERVER"] = "off"
        triggers = [f"step={STEPS * (i + 1)}:replicas={count}" for i, count in enumerate(counts)]
        triggers.append(f"step={STEPS * (len(counts) + 1)}:stop")
        command = [PROGRAMS / "batchscope", "run", "--headless", "digits", "--replicas", "1"]
        command += [word for trigger in triggers for word in ("--at", trigger)]
        command += ["--", "--no-autoscale", "--epochs", "100"]
        done = subprocess.run(command, env=environment, capture_output=True, text=True, stdin=subprocess.DEVNULL)
        shown = subprocess.run([PROGRAMS / "batchscope", "show", "latest", "--json"], env=environment,
                               capture_output=True, text=True, check=True)
    seen = json.loads(shown.stdout)
    generations = seen["generations"]
    if len(generations) != len(counts) + 1:
        sys.exit(f"{len(generations)} generations and not {len(counts) + 1}:\n{done.stdout}{done.stderr}")
    told = sum(event["text"].endswith(", forked") for event in seen["events"])
    if told != (len(generations) if forked else 0):
        sys.exit(f"{told} of {len(generations)} generations were forked")
    return list(zip(generations, generations[1:]))[len(CYCLE):]


def main():
    if sys.argv[1:] == ["--list"]:
        print("\n".join(names()))
        return
    wanted = set(sys.argv[1:]) or set(names())
    values = collections.defaultdict(list)
    for _ in range(RUNS):
        for forked in (True, False):
            for before, after in run(forked):
                name = f"restart.{before['replicas']}to{after['replicas']}"
                values[name if forked else name + ".executed"].append(after["pause"])
                if forked:
                    for part in PARTS:
                        values[f"{name}.{part.replace(' ', '-')}"].append(after["pause_parts"].get(part, 0))
    for name in names():
        if name in wanted:
            print(json.dumps({"name": name, "value": statistics.median(values[name]), "unit": "s", "better": "lower",
                              "goal": GOAL if name.count(".") == 1 else None, "runs": len(values[name]),
                              "min": min(values[name]), "max": max(values[name])}))


if __name__ == "__main__":
    main()
