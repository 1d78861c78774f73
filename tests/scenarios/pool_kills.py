#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Six runs share the pool while it and their supervisors are killed at twenty random moments: the pool is there again
within seconds, all runs finish, every sample is accounted for, the catalogue is whole and no process is left.

  pool_kills.py BIN [--seed N] [--minutes N]

With --minutes store follows store, each with the next seed, until the time is over: `./dev soak pool`.
"""

import os
import random
import signal
import time

from chaos import intact
from run_scenario import POOL, patiently
from soak import at_a_queue, over_seeds

KILLS = 20
RUNS = 6
EPOCHS = range(60, 200)  # of a run
BETWEEN = 4  # s between two kills, at most
BACK = 30  # s in which a pool is there again, on a machine that has better things to do


class Kills:
    def __init__(self, scenario, seed):
        self.scenario = scenario
        self.random = random.Random(seed)
        self.enough = scenario.home / "enough"  # ends the runs where it is there

    def submit(self):
        self.scenario.do("batchscope pool --devices 2 --turn 2s --policy " + self.random.choice(["fair", "fast"]))
        for number in range(RUNS):
            replicas = self.random.choice(["auto", "1-2", "1", "2"])
            self.scenario.do(f"batchscope submit --name run-{number} --replicas {replicas} --checkpoint-every 2s "
                             f"--restart-budget 1000 {{here}}/apart.sh -- {{bin}}/stumble "
                             f"--epochs {self.random.choice(EPOCHS)} --until {self.enough} --max-batch-size 256")

    def ended(self):
        """Whether all have; none may have failed."""
        jobs = self.scenario.jobs().values()
        if failed := [job["name"] for job in jobs if job["state"] in ("failed", "cancelled")]:
            raise Failure(f"{', '.join(failed)} failed")
        return all(job["state"] == "succeeded" for job in jobs)

    def victims(self, kind):
        of_pool = [pid for pid, name in self.scenario.processes().items() if name == POOL]
        supervisors = [run["supervisor"] for run in self.scenario.ask("ls")["runs"] if run["supervisor"]]
        some = self.random.sample(supervisors, min(len(supervisors), self.random.choice([1, 1, 2])))
        return {"the pool": of_pool, "supervisors": some, "the pool and supervisors": of_pool + some}[kind]

    def is_back(self):
        """Whether there is a pool, or nothing left for one."""
        if self.scenario.ask("pool")["alive"] or self.ended():
            return True
        if not any(run["supervisor"] for run in self.scenario.ask("ls")["runs"]):
            self.scenario.do("batchscope pool --resume")  # nobody else is left who would start one
        return False

    def kill(self):
        """Kills at a random moment."""
        time.sleep(self.random.uniform(0, BETWEEN))
        kind = self.random.choice(["the pool", "the pool", "supervisors", "the pool and supervisors"])
        victims = self.victims(kind)
        print(f"{time.monotonic() - self.began:6.1f} s  {kind}: {victims}", flush=True)
        for pid in victims:
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:  # it has ended by itself
                pass
        died = time.monotonic()
        patiently("another pool", self.is_back)
        if time.monotonic() - died > BACK:
            raise Failure(f"no pool for {time.monotonic() - died:.0f} s")

    def carry_out(self):
        self.began = time.monotonic()
        self.submit()
        for _ in range(KILLS):
            if self.ended():
                break
            self.kill()
        self.enough.touch()
        patiently("the end of all runs", self.ended)
        self.scenario.samples_("exact in each but for crashes")
        intact(self.scenario.home / "runs.db")
        self.scenario.wait("processes == {}")


if __name__ == "__main__":
    over_seeds(__doc__, "another one, other runs and other moments", "store after store for so long",
               at_a_queue("pool", lambda scenario, seed: Kills(scenario, seed).carry_out()))
