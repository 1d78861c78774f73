#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Waiting times of a person in a store of 1,000 runs and 200 million samples (big_store.cpp makes it): seconds of
the programs from start to end, of `batchscope ls`, `show` and `plot` (of a series of ten million steps), of the
window's opening with its picture drawn, of one zoom into a run of ten million steps, and of questions in SQL:"""
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
         "store.big.window": 2.0, "store.big.zoom": 0.1, "store.big.sql.step": 0.5, "store.big.sql.run": 1,
         "store.big.sql.join": 5, "store.big.sql.compare": 1, "store.big.sql.rolling": 5, "store.big.sql.last": 5}  # s
QUESTIONS = {  # the runs whose samples are asked for, and what
    "step": (["long"], "SELECT value FROM sample WHERE series = 'loss' AND step = 7654321"),
    "run": (["run-7"],
            "SELECT a.generation, avg(a.value), avg(c.value) FROM sample a JOIN sample b ON a.step = b.step AND "
            "b.series = 'batch_size' JOIN sample c ON a.step = c.step AND c.series = 'gain' WHERE a.series = 'loss' "
            "GROUP BY 1"),
    "join": (["long"],
             "SELECT count(*), avg(a.value / b.value) FROM sample a JOIN sample b USING (run, generation, step) "
             "WHERE a.series = 'goodput' AND b.series = 'throughput' AND a.step BETWEEN 3000001 AND 4000000"),
    "compare": (["run-1", "run-2"],
                "SELECT a.series, max(abs(a.value - b.value)) FROM sample a JOIN sample b USING (series, step) WHERE "
                "a.run < b.run GROUP BY 1"),
    "rolling": (["long"],
                "SELECT max(mean) FROM (SELECT avg(value) OVER (ORDER BY step ROWS 99 PRECEDING) AS mean FROM sample "
                "WHERE series = 'loss' AND step <= 1000000)"),
    "last": ([],  # all of them
             "SELECT t.run, t.series, (SELECT value FROM sample s WHERE s.run = t.run AND s.series = t.series ORDER BY "
             "generation DESC, step DESC LIMIT 1) FROM (SELECT DISTINCT run, series FROM sample) t"),
}


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
        def ask(runs, question):
            runs = runs or run(PROGRAMS / "batchscope", "sql", "--csv", "SELECT id FROM run").split()[1:]
            return seconds(PROGRAMS / "batchscope", "sql", "--csv", *(f"--run={name}" for name in runs), question)

        for name, question in QUESTIONS.items():
            measures[f"store.big.sql.{name}"] = lambda question=question: [ask(*question)]
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
