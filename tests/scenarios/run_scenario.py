#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Carries out a scenario (README.md beside this file) step by step; stops at the first that does not hold."""

import collections
import json
import os
import pathlib
import re
import shlex
import signal
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
PATIENCE = 240  # s, for anything that is waited for
POLL = 0.1


class Failure(Exception):
    pass


def patiently(what, condition):
    """The first true value of condition()."""
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        if value := condition():
            return value
        time.sleep(POLL)
    raise Failure(f"{what} did not come true in {PATIENCE} s")


class Scenario:
    def __init__(self, programs, home):
        self.programs = pathlib.Path(programs).resolve()
        self.home = pathlib.Path(home)
        self.samples = self.home / "samples"
        self.samples.mkdir()
        self.output = self.home / "output.txt"
        self.subject = None
        self.environment = dict(os.environ, BATCHSCOPE_DB=str(self.home / "runs.db"), XDG_DATA_HOME=str(self.home),
                                XDG_STATE_HOME=str(self.home), BATCHSCOPE_SAMPLE_LOG=str(self.samples))

    # Steps, by their first word.

    def start(self, rest):
        self.subject = self.spawn(rest, open(self.output, "w"))

    def do(self, rest):
        process = self.spawn(rest, subprocess.PIPE)
        printed, _ = process.communicate(timeout=PATIENCE)
        if process.returncode != 0:
            raise Failure(f"exited {process.returncode}:\n{printed}")

    def wait(self, rest):
        if rest.startswith("output "):
            patiently(rest, lambda: rest.removeprefix("output ") in self.output.read_text() or self.insist_it_lives())
        else:
            patiently(rest, lambda: self.holds(rest) or self.insist_it_lives())

    def interrupt(self, _):
        self.subject.send_signal(signal.SIGINT)

    def terminate(self, _):
        self.subject.send_signal(signal.SIGTERM)

    def kill(self, rest):
        if rest == "supervisor":
            os.kill(self.show()["run"]["supervisor"], signal.SIGKILL)
            return
        if rest == "fork server":
            log = "fork-server.log"
        else:
            rank = int(re.fullmatch(r"replica (\d+)", rest)[1])
            log = f"g{self.show()['generations'][-1]['number']}-r{rank}.log"
        os.kill(self.process_of(log), signal.SIGKILL)

    def exits(self, rest):
        code = self.subject.wait(timeout=PATIENCE)
        if code != int(rest):
            raise Failure(f"it exited {code}")
        self.subject = None  # its end is no surprise to what follows

    def output_(self, rest):
        if rest not in self.output.read_text():
            raise Failure("it did not print that")

    def check(self, rest):
        if not self.holds(rest):
            raise Failure(f"it does not hold; seen:\n{json.dumps(self.show(), indent=1)}")

    def samples_(self, rest):
        if rest != "exact":
            raise Failure("say: samples exact")
        compare_ledger(self.show()["ledger"], read_sample_logs(self.samples))

    # What they stand on.

    def spawn(self, command_line, output):
        program, *arguments = shlex.split(command_line)
        arguments = [argument.replace("{here}", str(HERE)) for argument in arguments]
        return subprocess.Popen([self.programs / program, *arguments], cwd=self.home, env=self.environment, text=True,
                                stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT)

    def show(self):
        answer = subprocess.run([self.programs / "batchscope", "show", "latest", "--json"], env=self.environment,
                                capture_output=True, text=True, timeout=PATIENCE)
        return json.loads(answer.stdout)

    def holds(self, condition):
        seen = self.show()
        if "run" not in seen:  # none has been made yet
            return False
        told = lambda text: any(text in event["text"] for event in seen["events"])
        return bool(eval(condition, {**seen["run"], **seen, "told": told}))

    def insist_it_lives(self):
        """False, for conditions that have not come true."""
        if self.subject and self.subject.poll() is not None:
            raise Failure(f"the program ended first, with {self.subject.returncode}")
        return False

    def process_of(self, name):
        """The process of the newest run whose standard output is this log."""
        log = self.home / "runs" / self.show()["run"]["id"] / "logs" / name
        for entry in pathlib.Path("/proc").glob("[0-9]*/fd/1"):
            try:
                if entry.readlink() == log:
                    return int(entry.parts[2])
            except OSError:  # gone, or not ours
                continue
        raise Failure(f"no process writes {log}")

    def clean_up(self):
        """Nothing that we started outlives us."""
        if self.subject and self.subject.poll() is None:
            self.subject.kill()
            self.subject.wait()
        supervisor = self.show().get("run", {}).get("supervisor")
        if supervisor:
            os.kill(supervisor, signal.SIGTERM)
            patiently("the supervisor's end", lambda: not pathlib.Path(f"/proc/{supervisor}").exists())

    def carry_out(self, line):
        verb, _, rest = line.partition(" ")
        step = getattr(self, verb + "_" if verb in ("output", "samples") else verb, None)
        if step is None or verb.startswith("_"):
            raise Failure(f"unknown step {verb}")
        step(rest)


def read_sample_logs(folder):
    """(loader, epoch, pass) -> how often each sample id was used, over all generations and replicas."""
    used = collections.defaultdict(collections.Counter)
    for log in sorted(folder.glob("samples-*.jsonl")):
        for line in log.read_text().splitlines():
            entry = json.loads(line)
            used[entry["loader"], entry["epoch"], entry["pass"]].update(entry["ids"])
    return used


def compare_ledger(ledger, used):
    passes = collections.defaultdict(list)
    sizes = {}
    for entry in ledger:
        key = entry["loader"], entry["epoch"], entry["pass"]
        passes[key].append((entry["from"], entry["to"]))
        sizes[key] = entry["dataset_size"]
    if set(passes) != set(used):
        raise Failure(f"passes in the ledger only: {set(passes) - set(used)}, in the logs only: {set(used) - set(passes)}")
    completed = 0
    for key, stretches in sorted(passes.items()):
        end = 0
        for begin, stop in sorted(stretches):
            if begin != end:
                raise Failure(f"{key}: the ledger goes from {end} to {begin}")
            end = stop
        if end != used[key].total():
            raise Failure(f"{key}: {end} samples in the ledger, {used[key].total()} in the logs")
        twice = [sample for sample, count in used[key].items() if count > 1]
        if twice:
            raise Failure(f"{key}: {len(twice)} samples were used more than once, such as {twice[:5]}")
        if end == sizes[key]:
            completed += 1
            if set(used[key]) != set(range(end)):
                raise Failure(f"{key}: not every sample was used")
    if not completed:
        raise Failure("no pass was completed")


def steps_of(file):
    for number, line in enumerate(file.read_text().splitlines(), 1):
        if line.strip() and not line.startswith("#"):
            yield number, line.strip()


def main():
    programs, file = sys.argv[1], pathlib.Path(sys.argv[2])
    with tempfile.TemporaryDirectory(prefix="scenario-") as home:
        scenario = Scenario(programs, home)
        try:
            for number, line in steps_of(file):
                print(f"{file.name}:{number}: {line}", flush=True)
                scenario.carry_out(line)
        except (Failure, subprocess.TimeoutExpired) as failure:
            printed = scenario.output.read_text() if scenario.output.exists() else ""
            print(f"FAILED: {failure}\n--- what the program printed:\n{printed}", file=sys.stderr)
            return 1
        finally:
            scenario.clean_up()
    return 0


if __name__ == "__main__":
    sys.exit(main())
