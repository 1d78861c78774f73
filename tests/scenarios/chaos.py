#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Chaos: while one run trains, random faults befall it, one after the other: replicas, the fork server, the supervisor
and all at once are killed, replicas are stopped, the disk fills, the newest checkpoint is damaged, and in between it is
rescaled, paused and resumed. After each the run must train again; at the end it has learned what it should, every
sample is accounted for, the databases are whole and no process is left.

  chaos.py BIN [--seed N] [--seconds N] [--options "OPTIONS OF DIGITS"]
"""

import argparse
import collections
import random
import sqlite3
import subprocess
import sys
import tempfile
import time

from run_scenario import Failure, Scenario, patiently

STEPS_BETWEEN = 20  # that the run must make before the next fault
MOST_REPLICAS = 3
ACCURACY = 0.97


class Chaos:
    def __init__(self, scenario, seed):
        self.scenario = scenario
        self.random = random.Random(seed)
        self.survived = collections.Counter()

    # The faults, and what a person does.

    def replica_killed(self):
        self.on_a_replica("KILL")

    def replica_stopped(self):
        self.on_a_replica("STOP")
        time.sleep(self.random.uniform(0.2, 1))
        self.on_all("CONT")

    def replica_told_to_leave(self):
        self.on_a_replica("TERM")
        self.settle()

    def fork_server_killed(self):
        self.scenario.signal("KILL fork server")

    def supervisor_killed(self):
        self.scenario.kill("supervisor")

    def power_cut(self):
        self.scenario.kill("all")

    def power_cut_with_memory(self):
        self.scenario.kill("all")
        self.scenario.lose("memory")

    def checkpoint_damaged(self):
        """The newest; the one before it must be good, or it would be no fault but the end."""
        for _ in range(2):
            self.command("checkpoint latest")
        before = self.seen()["checkpoints"]
        self.scenario.kill("all")
        if len(before) >= 2 and self.scenario.checkpoints()[-1].name == before[0]["name"]:
            self.scenario.damage("newest " + self.random.choice(["flipped", "truncated", "missing", "newer"]))

    def disk_full(self):
        self.full("checkpoints")

    def disk_and_memory_full(self):
        self.full("checkpoints", "memory")

    def store_full(self):
        self.full("store")

    def full(self, *places):
        for place in places:
            self.scenario.fault(self.random.choice(["ENOSPC", "EDQUOT"]) + " " + place)
        if self.random.random() < 0.5:
            self.command(f"rescale latest {self.other_count()}")
        time.sleep(self.random.uniform(0.5, 2))
        if "store" not in places and self.random.random() < 0.2:  # a generation that nobody could record has no number
            self.scenario.kill("all")
        self.scenario.mend("")

    def rescale(self):
        for _ in range(self.random.choice([1, 1, 3])):
            self.command(f"rescale latest {self.random.randint(1, MOST_REPLICAS)}")

    def checkpoint(self):
        self.command("checkpoint latest")

    def pause(self):
        self.command("pause latest")
        self.settle()

    # What they stand on.

    def other_count(self):
        return self.random.choice([n for n in range(1, MOST_REPLICAS + 1) if n != self.seen()["run"]["replicas"]])

    def command(self, words):
        """It may be refused: the run may be restarting from the last fault."""
        process = self.scenario.spawn("batchscope " + words, subprocess.PIPE)
        process.communicate(timeout=240)

    def on_a_replica(self, name):
        """Where it is still there."""
        try:
            rank = self.random.randrange(self.seen()["run"]["replicas"])
            self.scenario.signal(f"{name} replica {rank}")
        except (Failure, ProcessLookupError):
            pass

    def on_all(self, name):
        for rank in range(MOST_REPLICAS):
            try:
                self.scenario.signal(f"{name} replica {rank}")
            except (Failure, ProcessLookupError):
                pass

    def seen(self):
        return self.scenario.show()

    def settle(self):
        patiently("rest", lambda: self.seen()["run"]["state"] not in ("restarting", "pausing", "stopping"))

    def run_on(self):
        """Until it has trained on, or is finished: resumed where it needs a person for that."""
        stale = self.seen()["run"]["step"]  # it is written once a second, and outlives whoever wrote it

        def trains():
            seen = self.seen()
            run, newest = seen["run"], seen["generations"][-1]
            if run["state"] == "failed":
                raise Failure(f"the run failed: {run['message']}")
            if run["state"] in ("interrupted", "stopped", "paused"):
                self.command("resume latest --detach")
            return run["state"] == "finished" or (run["state"] == "running" and newest["first_step"] > 0 and
                                                  run["step"] != stale and
                                                  run["step"] >= newest["first_step"] + STEPS_BETWEEN)

        patiently("training on", trains)

    def befall(self, seconds):
        faults = [self.replica_killed, self.replica_stopped, self.replica_told_to_leave, self.fork_server_killed,
                  self.supervisor_killed, self.power_cut, self.power_cut_with_memory, self.checkpoint_damaged,
                  self.disk_full, self.disk_and_memory_full, self.store_full, self.rescale, self.rescale,
                  self.checkpoint, self.pause]
        end = time.monotonic() + seconds
        self.run_on()
        while time.monotonic() < end and self.seen()["run"]["state"] != "finished":
            fault = self.random.choice(faults)
            run = self.seen()["run"]
            print(f"{seconds - (end - time.monotonic()):6.1f} s  step {run['step']:6d}, {run['replicas']} replicas: "
                  f"{fault.__name__.replace('_', ' ')}", flush=True)
            fault()
            self.run_on()
            self.survived[fault.__name__.replace("_", " ")] += 1


def intact(file):
    with sqlite3.connect(f"file:{file}?mode=ro", uri=True) as database:
        answer = database.execute("PRAGMA integrity_check").fetchone()[0]
    if answer != "ok":
        raise Failure(f"{file}: {answer}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("programs")
    parser.add_argument("--seed", type=int, default=1, help="another one, other faults")
    parser.add_argument("--seconds", type=float, default=150, help="how long faults befall the run")
    parser.add_argument("--options", default="--epochs 20", help="of digits")
    options = parser.parse_args()
    print(f"seed {options.seed}", flush=True)
    with tempfile.TemporaryDirectory(prefix="chaos-") as home:
        scenario = Scenario(options.programs, home)
        scenario.expect_faults()
        chaos = Chaos(scenario, options.seed)
        try:
            scenario.do(f"batchscope run digits --replicas 2 --checkpoint-every 2s --detach -- {options.options}")
            scenario.wait('state == "running" and step > 0')
            chaos.befall(options.seconds)
            if scenario.show()["run"]["state"] != "finished":
                scenario.wait('state == "finished"')
            scenario.wait("processes == {}")
            scenario.check(f'latest["accuracy"] >= {ACCURACY}')
            scenario.samples_("exact but for crashes")
            for file in (scenario.home / "runs.db", scenario.place("run") / "samples.db"):
                intact(file)
            if list(scenario.memory.glob("batchscope-*/*-*")):
                raise Failure("something is left in memory")
        except (Failure, subprocess.TimeoutExpired) as failure:
            seen = scenario.show()
            for event in seen["events"]:
                print(f"generation {event['generation']}, step {event['step']}: {event['level']}: {event['text']}")
            for generation in seen["generations"]:
                print(generation)
            print((scenario.place("run") / "supervisor.log").read_text()[-3000:])
            print(f"FAILED with seed {options.seed}: {failure}", file=sys.stderr)
            return 1
        finally:
            generations = len(scenario.show().get("generations", []))
            scenario.clean_up()
    print(f"survived {chaos.survived.total()} faults in {generations} generations: " +
          ", ".join(f"{count} x {fault}" for fault, count in sorted(chaos.survived.items())))
    return 0


if __name__ == "__main__":
    sys.exit(main())
