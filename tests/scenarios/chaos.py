#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Chaos: while a run trains, the faults of chaos_faults.py befall it in random order, each once before any comes again.

They are done to processes, disks, checkpoints and the store, by others and by persons. After each the run must train
again; at the end it has learned what it should, every sample is accounted for, the databases are whole and no process
is left.

  chaos.py BIN [--seed N] [--faults N] [--minutes N] [--only FAULT...] [--options "OPTIONS OF DIGITS"]

With --minutes run follows run, each with the next seed, until the time is over: `./dev soak chaos`.
"""

import argparse
import collections
import os
import random
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import time

from chaos_faults import WITHOUT_PRIVILEGE, Faults
from run_scenario import Failure, Scenario, patiently

STEPS_BETWEEN = 20  # that the run must make before the next fault
ACCURACY = 0.97
MAY_FAIL = {"folder_unreadable"}  # where the run may give up, and a person who has seen to it resumes it


class Chaos:
    def __init__(self, scenario, seed, only):
        self.scenario = scenario
        self.random = random.Random(seed)
        self.faults = Faults(scenario, self.random)
        self.names = only or Faults.names()
        self.survived = collections.Counter()

    def seen(self):
        return self.scenario.show()

    def run_on(self, may_have_failed=False):
        """Waits until it has trained on, or is finished: resumed where it needs a person for that."""
        stale = self.seen()["run"]["step"]  # it is written once a second, and outlives whoever wrote it

        def trains():
            seen = self.seen()
            run, newest = seen["run"], seen["generations"][-1]
            if run["state"] == "failed" and not may_have_failed:
                raise Failure(f"the run failed: {run['message']}")
            if run["state"] in ("interrupted", "stopped", "paused", "failed"):
                self.faults.command("resume latest --detach")
            return run["state"] == "finished" or (run["state"] == "running" and newest["first_step"] > 0 and
                                                  run["step"] != stale and
                                                  run["step"] >= newest["first_step"] + STEPS_BETWEEN)

        patiently("training on", trains)

    def order(self):
        """Yields the faults: all of them, shuffled, again and again."""
        while True:
            yield from self.random.sample(self.names, len(self.names))

    def befall(self, count):
        began = time.monotonic()
        self.run_on()
        for name, _ in zip(self.order(), range(count)):
            run = self.seen()["run"]
            if run["state"] == "finished":
                break
            print(f"{time.monotonic() - began:6.1f} s  step {run['step']:6d}, {run['replicas']} replicas: "
                  f"{name.replace('_', ' ')}", flush=True)
            getattr(self.faults, name)()
            self.run_on(name in MAY_FAIL)
            self.survived[name] += 1

    def insist_all_is_well(self):
        if self.seen()["run"]["state"] != "finished":
            self.scenario.wait('state == "finished"')
        self.scenario.wait("processes == {}")
        self.scenario.check(f'latest["accuracy"] >= {ACCURACY}')
        self.scenario.samples_("exact but for crashes")
        for file in (self.scenario.home / "runs.db", self.scenario.place("run") / "samples.db"):
            intact(file)
        self.faults.insist_on_the_present()
        self.faults.insist_on_the_archive()
        may_stay = self.faults.present or self.faults.ended_full
        if not may_stay and any(path.is_dir() for path in self.scenario.memory.glob("batchscope-*/*")):
            raise Failure(f"something is left in memory: {self.faults.in_memory()}")


def intact(file):
    with sqlite3.connect(f"file:{file}?mode=ro", uri=True) as database:
        answer = database.execute("PRAGMA integrity_check").fetchone()[0]
    if answer != "ok":
        raise Failure(f"{file}: {answer}")


def tell_all(scenario):
    seen = scenario.show()
    for event in seen["events"]:
        print(f"generation {event['generation']}, step {event['step']}: {event['level']}: {event['text']}")
    for what in ("generations", "checkpoints", "ledger"):
        print(what, *seen[what], sep="\n")
    print((scenario.place("run") / "supervisor.log").read_text()[-3000:])


def one_run(options, seed, count):
    """The faults that a run survived, by name."""
    print(f"seed {seed}", flush=True)
    with tempfile.TemporaryDirectory(prefix="chaos-") as home:
        scenario = Scenario(options.programs, home)
        scenario.expect_faults()
        if os.geteuid() == 0 and shutil.which("setpriv"):
            scenario.launcher = WITHOUT_PRIVILEGE
        chaos = Chaos(scenario, seed, options.only)
        try:
            scenario.do(f"batchscope run digits --replicas 2 --checkpoint-every 2s --detach -- {options.options}")
            scenario.wait('state == "running" and step > 0')
            chaos.befall(count)
            chaos.insist_all_is_well()
        except (Failure, subprocess.TimeoutExpired) as failure:
            with_events = f"FAILED with seed {seed}: {failure}"
            try:
                tell_all(scenario)
            except Exception as error:
                print(f"no more can be told: {error!r}")
            sys.exit(with_events)
        finally:
            scenario.clean_up()
    return chaos.survived


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("programs")
    parser.add_argument("--seed", type=int, default=1, help="another one, another order and other details")
    parser.add_argument("--faults", type=int, default=len(Faults.names()), 
                        help="so many befall each run: every one once if not said")
    parser.add_argument("--minutes", type=float, help="run after run, of the next seed each, for so long")
    parser.add_argument("--only", nargs="+", choices=Faults.names(), metavar="FAULT",
                        help="of " + ", ".join(Faults.names()))
    parser.add_argument("--options", default="--epochs 15", help="of digits")
    options = parser.parse_args()
    survived, seed, end = collections.Counter(), options.seed, time.monotonic() + 60 * (options.minutes or 0)
    while seed == options.seed or time.monotonic() < end:
        survived += one_run(options, seed, options.faults)
        seed += 1
    if missed := set(options.only or Faults.names()) - set(survived):  # the run was finished before
        print(f"not tried: {', '.join(sorted(missed))}")
    print(f"survived {survived.total()} faults in {seed - options.seed} runs: " +
          ", ".join(f"{count} x {name.replace('_', ' ')}" for name, count in sorted(survived.items())))


if __name__ == "__main__":
    main()
