#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every command at a job in every state, by the command line and by a page's API: what the job is then, and what is said.
The answers are the table engine/pool/COMMANDS.md; any other answer is a fault.

  command_table.py BIN [--write]

--write writes the table as it is, to be read through.
"""

import argparse
import difflib
import functools
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request

from run_scenario import Failure, Scenario, patiently

TABLE = pathlib.Path(__file__).resolve().parents[2] / "engine" / "pool" / "COMMANDS.md"
HEAD = """# What commands do to a job of the queue

Each command in each state of a job: the state that follows, and what is said. While the commands below were given, other jobs had
all devices, except where the job itself was running. So a job that may go on is "pending", or "paused by the pool" with the
checkpoint that it has; it runs as soon as devices are free. "Held while it ran": `hold` paused it. "Interrupted": its supervisor
died.

The page's API (stop, pause, resume, checkpoint, rescale) does and says the same; where it does not, it has a row of its own.
`tests/scenarios/command_table.py` gives all of these commands and compares; with `--write` it writes this file.
"""
COMMANDS = {"hold": "hold JOB", "release": "release JOB", "cancel": "cancel JOB", "priority": "priority JOB 3", "stop": "stop JOB",
            "pause": "pause JOB", "resume": "resume JOB --detach", "checkpoint": "checkpoint JOB", "rescale": "rescale JOB 2"}
ON_PAGE = {"stop": {}, "pause": {}, "resume": {}, "checkpoint": {}, "rescale": {"replicas": 2}}
GIVEN = [(command, page) for command in COMMANDS for page in (False, True) if not page or command in ON_PAGE]
ENDED = ("stopped", "failed", "finished")
DEVICES = 2
BEGUN, FAILED = 26, 3  # as many jobs as the walk uses up
SETTLED = 2.0  # s without a change, where nobody knows what follows


class Walk:
    def __init__(self, scenario):
        self.scenario = scenario
        self.trainer = scenario.programs.parent / "tests" / "run-bin" / "fake-replica"
        self.count = 0
        server = scenario.spawn("batchscope serve --port 0 --json", subprocess.PIPE)
        self.page = json.loads(server.stdout.readline())
        # Those before the hog have devices, those behind it have none.
        self.states = {"running": self.running, "": self.let_a_hog_in, "pending": self.submit,
                       "held": functools.partial(self.submit, "--hold"), "held while it ran": self.held_paused,
                       "paused by a person": lambda: self.begun.pop(), "paused by the pool": self.preempted,
                       "interrupted": self.interrupted, "stopped": self.stopped, "failed": lambda: self.failed.pop(),
                       "finished": lambda: self.succeeded}

    # Jobs in each state.

    def submit(self, options="", program="", replicas=1):
        self.count += 1
        program = program or f"{self.trainer} -- --steps 10000000"
        self.run(f"submit --json --name job-{self.count} --replicas {replicas} {options} {program}")
        return json.loads(self.said)["run"]

    def running(self):
        return self.until(self.submit(), "running")

    def prepare(self):
        """Makes the jobs that need devices before a hog has them."""
        self.succeeded = self.submit(program="true")
        self.failed = [self.submit("--restart-budget 0", "false") for _ in range(FAILED)]
        self.begun = [self.submit() for _ in range(BEGUN)]
        left = set(self.begun)

        def all_paused():
            for run in [run for run in left if self.state(run) == "running"]:
                self.ask_page(run, "pause")
                left.discard(run)
            return not left

        patiently("a step of each job", all_paused)
        for run in self.begun:
            self.until(run, "paused by a person")

    def let_a_hog_in(self):
        self.until(self.submit("--pin", replicas=DEVICES), "running")

    def held_paused(self):
        run = self.begun.pop()
        self.run(f"hold {run}")
        return self.until(run, "held while it ran")

    def preempted(self):
        run = self.begun.pop()
        self.run(f"resume {run} --detach")
        return self.until(run, "paused by the pool")

    def interrupted(self):
        run = self.preempted()
        os.kill(self.scenario.show(run)["run"]["supervisor"], signal.SIGKILL)
        return self.until(run, "interrupted")

    def stopped(self):
        run = self.submit("--hold")
        self.run(f"cancel {run}")
        return self.until(run, "stopped")

    # Looking at jobs, and asking of them.

    def fetch(self, path, body=None):
        headers = {"Authorization": f"Bearer {self.page['token']}", "Content-Type": "application/json"}
        place = self.page["url"].partition("?")[0].rstrip("/")
        request = urllib.request.Request(f"{place}/api/{path}", body, headers)
        with urllib.request.urlopen(request, timeout=120) as answer:
            return json.load(answer)

    def state(self, run):
        """Returns the job's state in the words of the table, or another word on its way there."""
        job = next((job for job in self.fetch("queue")["queue"] if job["run"] == run), None)
        if not job:
            return self.fetch(f"runs/{run}")["run"]["state"]
        of_run = job["run_state"]
        if of_run in ("pending", "interrupted"):
            return "held" if job["held"] else of_run
        if of_run == "paused":
            return "held while it ran" if job["held"] else "paused by the pool" if job["state"] == "paused" else "paused by a person"
        return of_run

    def until(self, run, state):
        patiently(f"{run} is {state}", lambda: self.state(run) == state)
        return run

    def settled(self, run, expected):
        """Returns the state that follows: the one that is expected, or the one in which it stays."""
        if expected:
            self.until(run, expected)
            return expected
        since, last = time.monotonic(), self.state(run)
        while time.monotonic() - since < SETTLED or last not in self.states:
            time.sleep(0.1)
            if (state := self.state(run)) != last:
                since, last = time.monotonic(), state
        return last

    def run(self, words):
        process = self.scenario.spawn("batchscope " + words, subprocess.PIPE)
        self.said, _ = process.communicate(timeout=120)
        return process.returncode == 0

    def ask_page(self, run, command):
        """Returns what it is refused with, or nothing."""
        try:
            self.fetch(f"runs/{run}/control", json.dumps({"command": command, **ON_PAGE[command]}).encode())
            return ""
        except urllib.error.HTTPError as error:
            return json.load(error)["error"]

    def cell(self, run, command, on_page):
        """Returns whether it is accepted, and what is said."""
        if on_page:
            refusal = self.ask_page(run, command)
            return not refusal, plain(refusal, run)
        accepted = self.run(COMMANDS[command].replace("JOB", run))
        return accepted, plain(self.said.removeprefix("batchscope: "), run)

    def table(self, expected):
        """(state, command) -> (state that follows, what is said); who knows what is expected waits for that."""
        table = {}
        self.prepare()
        for state, make in self.states.items():
            run = make() if not state else None
            for command, on_page in GIVEN if state else ():
                run = run or make()
                self.until(run, state)  # a running job may restart on more devices
                accepted, words = self.cell(run, command, on_page)
                label = f"{command}, by the page" if on_page else command
                known = expected.get((state, label)) or expected.get((state, command))
                follows = self.settled(run, known[0] if known else "" if accepted else state)
                came = (follows, "" if accepted else f"refused: {words}")
                if not on_page:
                    by_command = came
                if not on_page or came != by_command:
                    table[state, label] = (follows, came[1] or words or "accepted")
                if follows != state:
                    run = self.clear(run)
            if run and state == "running":
                self.clear(run)
        return table

    def clear(self, run):
        """Takes it out of the queue, if it is in it, so that its devices are free."""
        if self.state(run) not in ENDED:
            self.run(f"cancel {run}")


def plain(text, run):
    text = re.sub(rf"job-\d+ \({run}\)|{run}( \(job-\d+\))?", "JOB", text)
    text = re.sub(r"(number|checkpoint-|step|in) ?\d+(\.\d+)?\b", lambda found: re.sub(r"[\d.]+", "N", found[0]), text)
    return re.sub(r"\s+", " ", text).strip()


def text_of(table):
    order = ["pending", "held", "running"]
    states = sorted(dict.fromkeys(state for state, _ in table), key=lambda state: order.index(state) if state in order else len(order))
    lines = [HEAD]
    for state in states:
        lines += [f"## {state.capitalize()}", "| command | then | what is said |", "|---|---|---|"]
        lines += [f"| {label} | {then} | {words} |" for (of, label), (then, words) in table.items() if of == state] + [""]
    return "\n".join(lines).rstrip() + "\n"


def read_table(text):
    table, state = {}, ""
    for line in text.splitlines():
        if line.startswith("## "):
            state = line[3:].lower()
        elif line.startswith("| ") and not line.startswith("| command"):
            label, then, words = line.strip("| ").split(" | ")
            table[state, label] = (then, words)
    return table


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("programs")
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    known = TABLE.read_text() if TABLE.exists() else ""
    with tempfile.TemporaryDirectory(prefix="commands-") as home:
        scenario = Scenario(options.programs, home)
        try:
            scenario.do(f"batchscope pool --devices {DEVICES} --turn 1h")
            text = text_of(Walk(scenario).table({} if options.write else read_table(known)))
            if options.write:
                TABLE.write_text(text)
            elif text != known:
                raise Failure("\n".join(difflib.unified_diff(known.splitlines(), text.splitlines(), str(TABLE), "seen", lineterm="")))
        except (Failure, subprocess.TimeoutExpired) as failure:
            sys.exit(f"FAILED: {failure}")
        finally:
            scenario.clean_up()


if __name__ == "__main__":
    main()
