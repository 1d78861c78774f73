#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures what it is worth that a lone replica keeps the fastest of its cores: a run on one replica whose batch size
goodput chooses, over the same with all cores throughout (BATCHSCOPE_MEASURE_CORES=0), in turn.

cores.PROGRAM.beside is the ratio of their scale-invariant iterations in fifteen seconds beside a process that keeps a
core busy, cores.PROGRAM.alone the same where nothing else computes."""

import contextlib
import json
import statistics
import sys
import tempfile
import time

from own_store import Store, computing

PROGRAMS = ["digits", "language_model"]
SECONDS = 15
SEEDS = range(1, 4)
GOALS = {"beside": 2, "alone": 0.95}


def names():
    return [f"cores.{program}.{where}" for program in PROGRAMS for where in GOALS]


def progress(program, seed, measures):
    with tempfile.TemporaryDirectory(prefix="cores-", ignore_cleanup_errors=True) as home:
        store = Store(home)
        store.environment["BATCHSCOPE_MEASURE_CORES"] = "1" if measures else "0"
        store.do("run", program, "--device", "cpu", "--replicas", "1", "--detach",
                 "--", "--epochs", "10000", "--seed", str(seed))
        time.sleep(SECONDS)
        found = store.ask("show", "latest")["run"]["latest"]["progress"]
        store.do("stop", "latest")
        return found


def measure(program, where):
    with computing(1) if where == "beside" else contextlib.nullcontext():
        return [progress(program, seed, True) / progress(program, seed, False) for seed in SEEDS]


def main():
    if sys.argv[1:] == ["--list"]:
        print("\n".join(names()))
        return
    for program in PROGRAMS:
        for where, goal in GOALS.items():
            name = f"cores.{program}.{where}"
            if sys.argv[1:] and name not in sys.argv[1:]:
                continue
            values = measure(program, where)
            print(json.dumps({"name": name, "value": statistics.median(values), "unit": "ratio", "better": "higher",
                              "goal": goal, "runs": len(values), "min": min(values), "max": max(values)}), flush=True)


if __name__ == "__main__":
    main()
