#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""An afternoon of people's hands: sixty random commands at a store where jobs of the queue and runs beside it share the
devices. With an even seed the pool and supervisors are killed now and then. Somebody watches all the while for a device
that lies idle while a job waits that could have it. No job may fail, no run may be restarted more often than people's
commands and turns explain, every sample is accounted for, and at the end nobody holds a device.

  hands.py BIN [--seed N] [--minutes N]

With --minutes afternoon follows afternoon, each with the next seed, until the time is over: `./dev soak hands`.
"""

import contextlib
import json
import os
import random
import re
import signal
import sqlite3
import subprocess
import threading
import time

from chaos import intact
from run_scenario import POOL, Failure, compare_ledger, core, patiently, used_samples
from soak import at_a_queue, over_seeds

ACTIONS = 60
DEVICES = 2
MOST_LIVE = 6  # runs; who has so many starts no other
IDLE = 2  # s that a device may lie idle while a job waits that fits
BACK = 30  # s in which a pool is there again, on a machine that has better things to do
LOOK = 0.2  # s between two looks at the devices
ASKED_FOR = 2  # restarts of a run that a command may bring about: to make room, and to take it back
PER_HOUR = 10  # restarts of a run that nobody asked for
REFUSED = (3, 4, 143)  # exit codes of what is not found, not to be done now, or has stopped meanwhile
ENDED = ("finished", "failed", "stopped")


class Watch(threading.Thread):
    """Looks at the catalogue as nobody else does: by itself, several times a second."""

    def __init__(self, scenario):
        super().__init__(daemon=True)
        self.file, self.devices = scenario.home / "runs.db", [core(number) for number in range(DEVICES)]
        self.over = threading.Event()
        self.idle = 0.0  # s for which a device has been idle in vain
        self.worst = 0.0
        self.excused_until = 0.0  # monotonic
        self.seen = ""  # at the worst moment
        self.fault = None  # what ended it before the afternoon did

    def excuse(self, seconds):
        self.excused_until = time.monotonic() + seconds

    def run(self):
        try:
            while not self.over.wait(LOOK):
                with contextlib.suppress(sqlite3.OperationalError):  # not there yet, or being written
                    self.look()
        except Exception as fault:
            self.fault = fault

    def look(self):
        with contextlib.closing(sqlite3.connect(f"file:{self.file}?mode=ro", uri=True)) as store:
            jobs = store.execute(
                "SELECT run.id, state, spec, held, preempted, resumed, after FROM job JOIN run ON run.key = job.run"
                " WHERE removed <= 0 AND state IN ('pending', 'paused', 'interrupted')").fetchall()
            taken = {device for device, pid in store.execute("SELECT device, holder_pid FROM lease") if alive(pid)}
            ends = dict(store.execute("SELECT id, state FROM run"))
        idle = [device for device in self.devices if device not in taken]
        fits = [job[0] for job in jobs if waits(job, ends) and least(json.loads(job[2])) <= len(idle)]
        if not fits or time.monotonic() < self.excused_until:
            self.idle = 0.0
            return
        self.idle += LOOK  # and not the time that passed: this machine may have been elsewhere
        if self.idle > self.worst:
            self.worst = self.idle
            self.seen = f"{', '.join(idle)} idle for {self.idle:.1f} s, while {', '.join(fits)} waited"


def alive(pid):
    return os.path.exists(f"/proc/{pid}")


def waits(job, ends):
    _, state, _, held, preempted, resumed, after = job
    if held or (state == "paused" and not preempted and not resumed):
        return False
    return not after or ends.get(after) == "finished"


def least(spec):
    """The fewest replicas that a run takes: the first number of "auto:2-4", 1 of "auto"."""
    if not spec["auto_replicas"]:
        return spec["replicas"]
    return int(re.match(r"auto(?::(\d+))?", spec["auto_replicas"])[1] or 1)


class Afternoon:
    def __init__(self, scenario, seed):
        self.scenario = scenario
        self.random = random.Random(seed)
        self.kills = seed % 2 == 0
        self.turn = self.random.choice([2, 30])
        self.names = []
        self.done = []  # commands that were carried out
        self.began = time.monotonic()

    # Hands.

    def program(self):
        return (f"--checkpoint-every 2s --restart-budget 1000 {{here}}/apart.sh -- {{bin}}/stumble "
                f"--epochs {self.random.choice(range(10, 120))} --max-batch-size 256")

    def name(self, kind):
        self.names.append(f"{kind}-{len(self.names)}")
        return self.names[-1]

    def someone(self):
        return self.random.choice(self.names)

    def submit(self):
        options = [f"--replicas {self.random.choice(['auto', '1-2', '1', '2'])}"]
        if self.random.random() < 0.1:
            options.append("--pin")
        if self.random.random() < 0.15:
            options.append("--hold")
        if self.random.random() < 0.2:
            options.append(f"--priority {self.random.randint(-2, 2)}")
        return f"submit --name {self.name('job')} {' '.join(options)} {self.program()}"

    def run_beside(self):
        count = self.random.choice(["1", "2", "auto"])
        return f"run --name {self.name('beside')} --device cpu --replicas {count} --detach {self.program()}"

    def rescale(self):
        how = self.random.choice(["1", "2", "auto", f"1 --devices {core(self.random.randrange(DEVICES))}"])
        return f"rescale {self.someone()} {how}"

    def command(self):
        if len(self.names) < 2:
            return self.submit()
        live = [run for run in self.scenario.ask("ls")["runs"] if run["state"] not in ENDED]
        kinds = [self.rescale] + [lambda word=word: f"{word} {self.someone()}" for word in
                                  ("hold", "release", "release", "pause", "resume --detach", "resume --detach", "stop", "cancel")]
        kinds.append(lambda: f"priority {self.someone()} {self.random.randint(0, 2)}")
        if len(live) < MOST_LIVE:
            kinds += 4 * [self.submit] + [self.run_beside]
        return self.random.choice(kinds)()

    def act(self, watch):
        command = self.command()
        code = self.carry_out(command)
        if code not in (0, *REFUSED):
            raise Failure(f"batchscope {command} exits {code}:\n{self.scenario.said}")
        if code == 0:
            self.done.append(command)
        if self.kills and self.random.random() < 0.1:
            self.kill(watch)

    def carry_out(self, command):
        process = self.scenario.spawn("batchscope " + command, subprocess.PIPE)
        self.scenario.said, _ = process.communicate(timeout=120)
        print(f"{time.monotonic() - self.began:6.1f} s  {process.returncode}  {command.partition(' --checkpoint')[0]}", flush=True)
        return process.returncode

    def kill(self, watch):
        victims = [pid for pid, name in self.scenario.processes().items() if name == POOL]
        if self.random.random() < 0.5:
            victims = [run["supervisor"] for run in self.scenario.ask("ls")["runs"] if run["supervisor"]][:1]
        watch.excuse(BACK)
        for pid in victims:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        print(f"{time.monotonic() - self.began:6.1f} s  killed {victims}", flush=True)
        self.done.append("kill")

    # The evening.

    def let_all_go_on(self):
        """Until each has ended, as a person would who goes home: whatever rests is told to go on, or is cancelled."""
        for run in self.scenario.ask("ls")["runs"]:
            if run["state"] in ("finished", "failed", "stopped"):
                continue
            if run["state"] in ("paused", "pausing", "interrupted") or run["name"].startswith("job"):
                self.carry_out(f"resume {run['id']} --detach")
        def ended():
            runs = self.scenario.ask("ls")["runs"]
            if any(run["supervisor"] is None or run["supervisor"] == 0 for run in runs if run["state"] not in ENDED):
                self.scenario.do("batchscope pool --resume")
            for run in runs:
                if run["state"] in ("paused", "interrupted") and not run["name"].startswith("job"):
                    self.carry_out(f"resume {run['id']} --detach")
                elif self.state(run["name"]) == "held":
                    self.carry_out(f"release {run['id']}")
            return all(run["state"] in ENDED for run in runs)
        patiently("the end of all runs", ended)

    def state(self, name):
        return self.scenario.jobs()[name]["state"] if name in self.scenario.jobs() else None

    def insist_all_is_well(self, watch):
        runs = [self.scenario.show(run["id"]) for run in self.scenario.ask("ls")["runs"]]
        if failed := [f"{seen['run']['name']}: {seen['run']['message']}" for seen in runs if seen["run"]["state"] == "failed"]:
            raise Failure("; ".join(failed))
        if watch.fault:
            raise watch.fault
        if watch.worst > IDLE:
            raise Failure(watch.seen)
        self.insist_on_few_restarts(runs)
        for seen in runs:
            if [lease for lease in seen["leases"] if not lease["until"]]:
                raise Failure(f"{seen['run']['name']} has ended, and still has a device")
            ledger, folder = seen["ledger"], self.scenario.samples / seen["run"]["id"]
            if seen["run"]["state"] == "finished":
                compare_ledger(ledger, used_samples(folder, ledger, True))
        intact(self.scenario.home / "runs.db")
        self.scenario.wait("processes == {}")

    def insist_on_few_restarts(self, runs):
        hours = (time.monotonic() - self.began) / 3600
        turns = (time.monotonic() - self.began) / self.turn
        allowed = ASKED_FOR * (len(self.done) + len(runs)) + turns + PER_HOUR * hours
        for seen in runs:
            by_pool = [generation for generation in seen["generations"] if generation["reason"] in ("pool", "resume")]
            if len(by_pool) > allowed:
                raise Failure(f"{seen['run']['name']} was restarted {len(by_pool)} times, {allowed:.0f} are explained")

    def pass_by(self):
        self.scenario.do(f"batchscope pool --devices {DEVICES} --turn {self.turn}s --policy {self.random.choice(['fair', 'fast'])}")
        watch = Watch(self.scenario)
        watch.start()
        try:
            for _ in range(ACTIONS):
                self.act(watch)
                time.sleep(self.random.choice([0, 0, 0.2, 1]))
            self.let_all_go_on()
        finally:
            watch.over.set()
            watch.join()
        self.insist_all_is_well(watch)
        print(f"seed well passed: {len(self.done)} commands, {len(self.names)} runs, a device idle for {watch.worst:.1f} s at most, "
              f"{time.monotonic() - self.began:.0f} s in all", flush=True)


if __name__ == "__main__":
    over_seeds(__doc__, "another one, other commands and other moments", "afternoon after afternoon for so long",
               at_a_queue("hands", lambda scenario, seed: Afternoon(scenario, seed).pass_by()))
