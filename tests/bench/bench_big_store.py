#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What a person waits for in a store of 1,000 runs and 20 million samples (big_store.cpp makes it): seconds of the
programs from start to end, of `batchscope ls`, `show` and `plot` (of a series of a million steps), of the window's
opening with its picture drawn, and of one zoom into a run of a million steps. store.big.make is what it took to write
the whole."""
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

BENCHES = pathlib.Path(__file__).resolve().parent
PROGRAMS = BENCHES.parent
RUNS = 5
GOALS = {"store.big.make": None, "store.big.ls": 0.5, "store.big.show": 0.5, "store.big.plot": 0.5,
         "store.big.window": 2.0, "store.big.zoom": 0.1}  # s


def main():
    if sys.argv[1:] == ["--list"]:
        print("\n".join(GOALS))
        return
    wanted = set(sys.argv[1:]) or set(GOALS)
    with tempfile.TemporaryDirectory(prefix="big-store-") as home:
        environment = dict(os.environ, BATCHSCOPE_DB=f"{home}/runs.db", XDG_DATA_HOME=home, XDG_STATE_HOME=home,
                           XDG_CONFIG_HOME=home, QT_QPA_PLATFORM="offscreen")

        def run(*command):
            return subprocess.run(command, env=environment, check=True, capture_output=True, text=True,
                                  stdin=subprocess.DEVNULL).stdout

        def seconds(*command):
            begin = time.monotonic()
            run(*command)
            return time.monotonic() - begin

        measures = {
            "store.big.ls": lambda: [seconds(PROGRAMS / "batchscope", "ls")],
            "store.big.show": lambda: [seconds(PROGRAMS / "batchscope", "show", "long")],
            "store.big.plot": lambda: [seconds(PROGRAMS / "batchscope", "plot", "long", "loss")],
            "store.big.window": lambda: [
                seconds(PROGRAMS / "batchscope-desktop", "--run", "long", "--grab", f"{home}/window.png")],
            "store.big.zoom": lambda: [float(line) for line in run(BENCHES / "big_store", "zoom").split()],
        }
        values = {"store.big.make": [seconds(BENCHES / "big_store", "make")]}
        for _ in range(RUNS):
            for name, measure in measures.items():
                if name in wanted:
                    values.setdefault(name, []).extend(measure())
    for name, goal in GOALS.items():
        if name in wanted:
            print(json.dumps({"name": name, "value": statistics.median(values[name]), "unit": "s", "better": "lower",
                              "goal": goal, "runs": len(values[name]), "min": min(values[name]),
                              "max": max(values[name])}))


if __name__ == "__main__":
    main()
