#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The cost of many replicas that make ten steps a second and compute nothing (scale_replica), on this one machine:

scale.restart.N   s: pause of a restart on as many replicas, N of them, forked
scale.cpu.N       cores: processor time of the supervisor while they train
scale.memory.N    MB: resident memory of the supervisor after that
scale.bytes.N     kB/s: what the supervisor reads, nearly all of it telemetry
scale.values.N    1/s: values that the run's series grow by

scale.restart.N.PART are the parts of a restart. BATCHSCOPE_BENCH_REPLICAS says for which N: "2 1024"."""

import json
import os
import pathlib
import sqlite3
import statistics
import sys
import tempfile
import time

from own_store import PROGRAMS, Store

COUNTS = [int(count) for count in os.environ.get("BATCHSCOPE_BENCH_REPLICAS", "2 16 64 256").split()]
PARTS = ["checkpoint", "stop", "launch", "restore", "first-step"]
UNITS = {"restart": "s", "cpu": "cores", "memory": "MB", "bytes": "kB/s", "values": "1/s"}
GOALS = {"restart.256": 1.0, "cpu.1024": 0.25, "memory.1024": 200}
RESTARTS = 1 if os.environ.get("BATCHSCOPE_REHEARSE") else int(os.environ.get("BATCHSCOPE_BENCH_RUNS", 3))
STEADY = 2 if os.environ.get("BATCHSCOPE_REHEARSE") else 10  # s that are measured
SETTLES = 3  # s after a restart, before they are
PATIENCE = 120  # s, for a generation to train


def names_of(count):
    for what in UNITS:
        yield f"scale.{what}.{count}"
        if what == "restart":
            yield from (f"scale.restart.{count}.{part}" for part in PARTS)


class Supervisor:
    def __init__(self, pid):
        self.proc = pathlib.Path(f"/proc/{pid}")

    def processor_time(self):
        fields = (self.proc / "stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def bytes_read(self):
        return int((self.proc / "io").read_text().split()[1])

    def resident(self):
        return next(int(line.split()[1]) for line in (self.proc / "status").read_text().splitlines()
                    if line.startswith("VmRSS")) * 1024


def number_in(file, query):
    database = sqlite3.connect(f"file:{file}?mode=ro", uri=True)
    try:
        return database.execute(query).fetchone()[0]
    finally:
        database.close()


def values_recorded(home, run):
    return sum(number_in(f"{home}/runs/{run}/samples.db", f"SELECT coalesce(sum(count), 0) FROM {table}")
               for table in ("track", "batch"))


def trains(store, run, generation):
    """Waits until the generation with this number makes steps; returns it."""
    until = time.monotonic() + PATIENCE
    while time.monotonic() < until:
        shown = store.ask("show", run)
        last = max(shown["generations"], key=lambda one: one["number"], default=None)
        if last and last["number"] > generation:
            sys.exit(f"generation {last['number']} trains, not {generation}: {shown['events']}")
        if last and last["number"] == generation and last["first_step"] > 0 and shown["run"]["state"] == "running":
            return last
        if shown["run"]["state"] in ("failed", "finished", "stopped"):
            sys.exit(f"the run has {shown['run']['state']}: {shown['events']}")
        time.sleep(0.2)
    sys.exit(f"generation {generation} makes no step within {PATIENCE} s: {shown['events']}")


def measure(count):
    values = {name: [] for name in names_of(count)}
    with tempfile.TemporaryDirectory(prefix="scale-", ignore_cleanup_errors=True) as home:
        store = Store(home)
        run = json.loads(store.do("run", PROGRAMS / "bench/scale_replica", "--detach", "--json", "--replicas", str(count),
                                  "--checkpoint-every", "0").splitlines()[-1])["run"]
        try:
            trains(store, run, 0)
            for generation in range(1, RESTARTS + 1):
                time.sleep(SETTLES)
                store.do("rescale", run, str(count))
                restarted = trains(store, run, generation)
                values[f"scale.restart.{count}"].append(restarted["pause"])
                for part in PARTS:
                    values[f"scale.restart.{count}.{part}"].append(restarted["pause_parts"].get(part.replace("-", " "), 0))
            time.sleep(SETTLES)
            supervisor = Supervisor(number_in(f"{home}/runs.db", "SELECT supervisor_pid FROM run"))
            began, used, read, recorded = (time.monotonic(), supervisor.processor_time(), supervisor.bytes_read(),
                                           values_recorded(home, run))
            time.sleep(STEADY)
            seconds = time.monotonic() - began
            values[f"scale.cpu.{count}"] = [(supervisor.processor_time() - used) / seconds]
            values[f"scale.bytes.{count}"] = [(supervisor.bytes_read() - read) / seconds / 1e3]
            values[f"scale.values.{count}"] = [(values_recorded(home, run) - recorded) / seconds]
            values[f"scale.memory.{count}"] = [supervisor.resident() / 1e6]
        finally:
            store.do("stop", run, may_stop=True)
            until = time.monotonic() + PATIENCE
            while time.monotonic() < until and store.ask("show", run)["run"]["state"] not in ("stopped", "failed"):
                time.sleep(0.2)
    return values


def main():
    if sys.argv[1:] == ["--list"]:
        print("\n".join(name for count in COUNTS for name in names_of(count)))
        return
    for count in COUNTS:
        chosen = [name for name in names_of(count) if len(sys.argv) == 1 or name in sys.argv]
        for name, values in measure(count).items() if chosen else ():
            if name not in chosen:
                continue
            print(json.dumps({"name": name, "value": statistics.median(values), "unit": UNITS[name.split(".")[1]],
                              "better": "lower", "goal": GOALS.get(name.removeprefix("scale.")), "runs": len(values),
                              "min": min(values), "max": max(values)}), flush=True)


if __name__ == "__main__":
    main()
