#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Carries out a scenario (README.md beside this file) step by step; stops at the first that does not hold."""

import ast
import collections.abc
import contextlib
import functools
import json
import os
import pathlib
import re
import shlex
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
import zlib

import scenario_file
from scenario_file import Failure, Skipped

HERE = pathlib.Path(__file__).resolve().parent
COMM = 15  # letters of a program's name that the kernel keeps
PATIENCE = 240  # s, for anything that is waited for
POLL, LONGEST_POLL = 0.1, 0.5  # s
SKIPPED = 77  # exit code, as CTest is told
POOL = "batchscope-pool"
SWEEP = "batchscope-sweep"


def patiently(what, condition):
    """The first true value of condition(), which is asked less often the longer it takes."""
    began = time.monotonic()
    while (taken := time.monotonic() - began) < PATIENCE:
        if value := condition():
            return value
        time.sleep(min(max(POLL, taken / 20), LONGEST_POLL))
    raise Failure(f"{what} did not come true in {PATIENCE} s")


class NotThere(Failure):
    """A condition names something that does not exist, or not yet: a run, a job, a figure."""


class Each(collections.abc.Mapping):
    """A mapping of names to look(key), asked when somebody wants it: each takes a moment."""

    def __init__(self, keys, look):
        self.keys_, self.look = keys, functools.cache(look)

    def __getitem__(self, name):
        return self.look(self.keys_[name])

    def __iter__(self):
        return iter(self.keys_)

    def __len__(self):
        return len(self.keys_)


class Scenario:
    def __init__(self, programs, home):
        self.programs = pathlib.Path(programs).resolve()
        self.home = pathlib.Path(home)
        self.samples = self.home / "samples"
        self.memory = self.home / "memory"  # a /dev/shm of its own, for its checkpoints are put on disk by any run
        for folder in (self.samples, self.memory):
            folder.mkdir()
        self.output = self.home / "output.txt"
        self.subject = None
        self.said = ""
        self.faults = self.home / "faults"
        self.launcher = []  # what every program is started by
        self.environment = dict(os.environ, BATCHSCOPE_DB=str(self.home / "runs.db"), XDG_DATA_HOME=str(self.home),
                                XDG_STATE_HOME=str(self.home), BATCHSCOPE_SHM=str(self.memory),
                                BATCHSCOPE_SAMPLE_LOG=str(self.samples), OMP_WAIT_POLICY="passive")  # others need the cores

    def expect_faults(self):
        """Before anything is started: `fault` and `clock` work on what is started from now on."""
        self.faults.touch()
        self.environment.update(BATCHSCOPE_FAULTS=str(self.faults), ASAN_OPTIONS="verify_asan_link_order=0",
                                LD_PRELOAD=str(self.programs.parent / "tests" / "libfaults.so"))

    # Steps, by their first word.

    def needs(self, rest):
        try:
            process = self.spawn(rest, subprocess.PIPE)
        except OSError as error:
            raise Skipped(str(error)) from None
        printed, _ = process.communicate(timeout=PATIENCE)
        if process.returncode != 0:
            raise Skipped(printed.strip())

    def start(self, rest):
        with open(self.output, "w") as output:
            self.subject = self.spawn(rest, output)

    def do(self, rest):
        self.fails("0 " + rest)

    def fails(self, rest):
        code, _, command = rest.partition(" ")
        process = self.spawn(command, subprocess.PIPE)
        self.said, _ = process.communicate(timeout=PATIENCE)
        if process.returncode != int(code):
            raise Failure(f"exited {process.returncode}:\n{self.said}")

    def says(self, rest):
        if self.place_in(rest) not in self.said:
            raise Failure(f"it said:\n{self.said}")

    def set(self, rest):
        name, _, value = rest.partition(" ")
        self.environment[name] = self.place_in(value)

    def wait(self, rest):
        missing = ""

        def met():
            nonlocal missing
            missing = ""
            over = self.over()  # first: what holds at the end is seen below
            try:
                holds = rest.removeprefix("output ") in self.output.read_text() if rest.startswith("output ") else self.holds(rest)
            except NotThere as error:
                holds, missing = False, f"; {error}"
            if over and not holds:
                raise Failure(f"the program ended first, with {self.subject.returncode}")
            return holds

        try:
            patiently(rest, met)
        except Failure as failure:
            queue = f"; the queue:\n{json.dumps([self.jobs(), self.ask('pool')], indent=1)}" if "jobs" in rest else ""
            raise Failure(f"{failure}{missing}{queue}") from None

    def interrupt(self, _):
        self.signal("INT started")

    def terminate(self, _):
        self.signal("TERM started")

    def kill(self, rest):
        if rest == "all":
            self.cut_power()
        else:
            self.signal("KILL " + rest)

    def signal(self, rest):
        name, whom, times = re.fullmatch(r"(\S+) (.+?)(?: (\d+) times)?", rest).groups()
        process = self.process(whom)
        for sent in range(int(times or 1)):
            try:
                os.kill(process, signal.Signals["SIG" + name])
            except ProcessLookupError:
                if not sent:
                    raise Failure(f"{whom} has ended") from None
            time.sleep(0.002 if times else 0)  # one by one: signals that wait together are one

    def lose(self, _):
        shutil.rmtree(self.memory)
        self.memory.mkdir()

    def damage(self, rest):
        which, how, *file = rest.split()
        checkpoints = self.checkpoints()
        for checkpoint in {"newest": checkpoints[-1:], "all": checkpoints}[which]:
            damage_checkpoint(checkpoint, how, *file)

    def remove(self, rest):
        """Removes at once, for whoever is writing there."""
        with tempfile.TemporaryDirectory(dir=self.home) as rubbish:
            gone = self.checkpoints()[-1] if rest == "newest" else self.place(rest)
            gone.rename(pathlib.Path(rubbish) / "removed")

    def lock(self, _):
        self.locked = sqlite3.connect(self.home / "runs.db", isolation_level=None)
        self.locked.execute("BEGIN IMMEDIATE")

    def unlock(self, _):
        self.locked.close()

    def fault(self, rest):
        error, where = rest.split()
        self.fault_at(error, self.place(where))

    def mend(self, _):
        clock = [line for line in self.faults.read_text().splitlines(True) if line.startswith("CLOCK")]
        left = self.faults.with_suffix(".new")
        left.write_text("".join(clock))
        left.replace(self.faults)  # at once: the clock does not jump back in between

    def clock(self, rest):
        with open(self.faults, "a") as faults:
            faults.write(f"CLOCK {int(rest)}\n")

    def exits(self, rest):
        if not self.subject:
            raise Failure("nothing that was started is left to exit")
        code = self.subject.wait(timeout=PATIENCE)
        if code != int(rest):
            raise Failure(f"it exited {code}")
        self.subject = None  # its end is not a surprise to what follows

    def output_(self, rest):
        if rest not in self.output.read_text():
            raise Failure("it did not print that")

    def check(self, rest):
        if not self.holds(rest):
            raise Failure(f"it does not hold; seen:\n{json.dumps(self.show(), indent=1)}")

    def samples_(self, rest):
        crashes = "but for crashes" in rest
        for run, folder in self.logs_of_each() if "in each" in rest else [("latest", self.samples)]:
            ledger = self.show(run)["ledger"]
            compare_ledger(ledger, used_samples(folder, ledger, crashes))

    # Helpers of the words.

    def spawn(self, command_line, output):
        program, *arguments = shlex.split(self.place_in(command_line))
        return subprocess.Popen([*self.launcher, self.programs / program, *arguments], cwd=self.home, env=self.environment,
                                text=True, stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT)

    def fault_at(self, error, path):
        with open(self.faults, "a") as faults:
            faults.write(f"{error} {path}\n")

    def ask(self, *words):
        """Returns batchscope's answer in JSON."""
        answer = subprocess.run([self.programs / "batchscope", *words, "--json"], env=self.environment,
                                capture_output=True, text=True, timeout=PATIENCE)
        try:
            return json.loads(answer.stdout)
        except json.JSONDecodeError:
            raise Failure(f"{words[0]} exits {answer.returncode}:\n{answer.stdout}{answer.stderr}") from None

    def show(self, run="latest"):
        return self.ask("show", run)

    def jobs(self):
        """Returns the jobs of the pool's queue, those that have ended included, by name."""
        return {job["name"]: job for job in self.ask("queue", "--all")["queue"]}

    def runs(self):
        """Returns `show` of each run, by name."""
        return Each({run["name"]: run["id"] for run in self.ask("ls")["runs"]}, self.show)

    def sweeps(self):
        """Returns `sweep status` of each sweep, by name."""
        names = {sweep["name"]: sweep["name"] for sweep in self.ask("sweep", "status")["sweeps"]}
        return Each(names, lambda name: self.ask("sweep", "status", name))

    def logs_of_each(self):
        """(id, folder) of those that were run by apart.sh."""
        logs = [(folder.name, folder) for folder in self.samples.iterdir() if folder.is_dir()]
        if not logs:
            raise Failure("no run has a folder of its own for its samples: start it by apart.sh")
        return logs

    def holds(self, condition):
        named = {"jobs": self.jobs, "runs": self.runs, "pool": lambda: self.ask("pool"), "sweeps": self.sweeps, "processes": self.processes,
                 "on_disk": lambda: [path.name for path in self.checkpoints()],
                 "half_written": lambda: [path.name for path in self.place("checkpoints").glob("*.partial")]}  # a moment each
        nodes = list(ast.walk(ast.parse(condition, mode="eval")))
        names = {node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)}
        local = {node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
        called = {node.func.id for node in nodes if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)} - {"told"}
        # Nobody is asked for what the condition does not name.
        seen = self.show() if names - local - called - named.keys() else {"run": {}}
        if "run" not in seen:  # none has been made yet
            return False
        more = {"told": lambda text: any(text in event["text"] for event in seen["events"]), "core": core}
        more |= {name: named[name]() for name in named if name in names}
        try:
            return bool(eval(condition, {**seen["run"], **seen, **more}))
        except (LookupError, TypeError) as error:
            raise NotThere(f"{condition} asks for what is not there: {error!r}") from None
        except Exception as error:
            raise Failure(f"the condition {condition} cannot be judged: {error!r}") from None

    def over(self):
        """Whether the started program has ended, and with it all that could still make a condition come true: who only
        watches a run may end before its supervisor."""
        return self.subject is not None and self.subject.poll() is not None and not self.processes()

    def place(self, name):
        """A path of the newest run by what it is called in a scenario."""
        run = self.home / "runs" / self.run()
        return {"store": self.home / "runs", "run": run, "checkpoints": run / "checkpoints", "memory": self.memory}[name]

    def place_in(self, text):
        for name, value in {"here": lambda: HERE, "home": lambda: self.home, "bin": lambda: self.programs,
                            "run": self.run}.items():
            if f"{{{name}}}" in text:
                text = text.replace(f"{{{name}}}", str(value()))
        text = re.sub(r"\{core (\d+)\}", lambda number: core(int(number[1])), text)
        return re.sub(r"\{pid (.+?)\}", lambda whom: str(self.process(whom[1])), text)

    def run(self):
        return self.show()["run"]["id"]

    def checkpoints(self):
        """Returns the checkpoints of the newest run, the newest last; those in memory too."""
        complete = re.compile(r"checkpoint-\d+")
        return sorted((path for path in self.place("checkpoints").glob("*") if complete.fullmatch(path.name)),
                      key=lambda path: int(path.name.partition("-")[2]))

    def process(self, whom):
        if whom == "started":
            if not self.subject or self.subject.poll() is not None:  # its number may be another's by now
                raise Failure("the program has ended")
            return self.subject.pid
        if whom in ("pool", "sweep"):
            # All but one of several that were started at once end in a moment.
            program = {"pool": POOL, "sweep": SWEEP}[whom][:COMM]
            def found():
                return [pid for pid, name in self.processes().items() if name == program]
            return patiently(f"one {whom}", lambda: len(found()) == 1 and found())[0]
        what, _, name = whom.partition(" of ")
        seen = self.show(name or "latest")
        if what == "supervisor":
            if not seen["run"]["supervisor"]:
                raise Failure("the run has no supervisor")
            return seen["run"]["supervisor"]
        if what == "fork server":
            return self.process_of(seen["run"]["id"], "fork-server.log")
        rank = int(what.removeprefix("replica "))
        return self.process_of(seen["run"]["id"], f"g{seen['generations'][-1]['number']}-r{rank}.log")

    def process_of(self, run, name):
        """The process of a run whose standard output is this log."""
        log = self.home / "runs" / run / "logs" / name
        for entry in pathlib.Path("/proc").glob("[0-9]*/fd/1"):
            try:
                if entry.readlink() == log:
                    return int(entry.parts[2])
            except OSError:  # gone, or not ours
                continue
        raise Failure(f"no process writes {log}")

    def processes(self):
        """Process id -> name, of all that descend from what the scenario started: its store is in their environment."""
        mark = f"BATCHSCOPE_DB={self.home}/runs.db".encode()
        found = {}
        for process in pathlib.Path("/proc").glob("[0-9]*"):
            try:
                if mark in (process / "environ").read_bytes().split(b"\0"):
                    found[int(process.name)] = (process / "comm").read_text().strip()
            except OSError:  # gone, or not ours
                continue
        return found

    def cut_power(self):
        """Nobody sees another one end."""
        for signal_ in (signal.SIGSTOP, signal.SIGKILL):
            while stopped := [pid for pid in self.processes() if state_of(pid) not in "TtZX" or signal_ == signal.SIGKILL]:
                for pid in stopped:
                    with contextlib.suppress(ProcessLookupError):
                        os.kill(pid, signal_)
                self.reap()

    def reap(self):
        if self.subject and self.subject.poll() is not None:
            self.subject = None

    def clean_up(self):
        """Nothing that we started outlives us."""
        self.cut_power()

    def carry_out(self, step):
        getattr(self, step.verb + "_" if step.verb in ("output", "samples") else step.verb)(step.rest)


def core(number):
    """Returns the core's name in leases."""
    cores = sorted(os.sched_getaffinity(0))
    if number >= len(cores):
        raise Failure(f"this machine has {len(cores)} cores")
    return f"cpu:{cores[number]}"


def state_of(pid):
    try:
        return pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return "X"


def damage_checkpoint(checkpoint, how, name=None):
    """Damages a checkpoint in its largest file, or in the one that is named."""
    file = checkpoint / name if name else max(checkpoint.iterdir(), key=lambda file: file.stat().st_size)
    if how == "truncated":
        os.truncate(file, file.stat().st_size // 2)
    elif how == "flipped":
        content = bytearray(file.read_bytes())
        content[len(content) // 2] ^= 1
        file.write_bytes(content)
    elif how == "missing":
        file.unlink()
    elif how == "unloadable":
        file.write_bytes(b"{}")
        vouch_for(file)
    elif how == "newer":
        manifest = json.loads((checkpoint / "manifest.json").read_text())
        manifest["version"] += 1
        (checkpoint / "manifest.json").write_text(json.dumps(manifest))
    else:
        raise Failure(f"a checkpoint cannot be {how}: truncated, flipped, missing, unloadable, newer")


def vouch_for(file):
    """A file of a checkpoint becomes what its manifest says it is."""
    manifest, content = file.parent / "manifest.json", file.read_bytes()
    text = re.sub(rf'"bytes": \d+,(\s+)"crc32": \d+,(\s+)"name": "{re.escape(file.name)}"',
                  rf'"bytes": {len(content)},\1"crc32": {zlib.crc32(content)},\2"name": "{file.name}"', manifest.read_text())
    lines = text[:text.rindex('\n  "crc32": ') + 1]
    manifest.write_text(f'{lines}  "crc32": {zlib.crc32(lines.encode())}\n}}\n')


def micro_batches(folder):
    """(generation, loader, epoch, pass) -> the sample ids of each micro-batch in turn, over all replicas."""
    batches = collections.defaultdict(list)
    for log in sorted(folder.glob("samples-*.jsonl")):
        generation = int(re.match(r"samples-g(\d+)", log.name)[1])
        seen = collections.Counter()
        for line in log.read_text().splitlines():
            try:
                entry = json.loads(line)
            except json.JSONDecodeError:  # its replica was killed while it wrote
                continue
            key = generation, entry["loader"], entry["epoch"], entry["pass"]
            if seen[key] == len(batches[key]):
                batches[key].append([])
            batches[key][seen[key]] += entry["ids"]
            seen[key] += 1
    return batches


def used_samples(folder, ledger, crashes):
    """(loader, epoch, pass) -> how often each sample id was used, over all generations and replicas. With `crashes`,
    what a generation did after the checkpoint that was gone back to is left out: it was undone, and done again."""
    kept = collections.Counter()
    for entry in ledger:
        kept[entry["generation"], entry["loader"], entry["epoch"], entry["pass"]] += entry["to"] - entry["from"]
    used = collections.defaultdict(collections.Counter)
    for (generation, *key), batches in micro_batches(folder).items():
        left = kept[generation, *key]
        for batch in batches:
            if left <= 0 and crashes:
                break
            used[tuple(key)].update(batch)
            left -= len(batch)
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


def main():
    programs, file = sys.argv[1], pathlib.Path(sys.argv[2])
    try:
        steps = scenario_file.read(file.read_bytes(), file.name)
    except Failure as failure:
        sys.exit(str(failure))
    with tempfile.TemporaryDirectory(prefix="scenario-") as home:
        scenario = Scenario(programs, home)
        if any(step.verb in ("fault", "clock") for step in steps):
            scenario.expect_faults()
        try:
            for step in steps:
                print(f"{file.name}:{step.number}: {step.line}", flush=True)
                scenario.carry_out(step)
        except Skipped as missing:
            print(f"SKIPPED: this machine lacks what the scenario needs: {missing}")
            return SKIPPED
        except (Failure, subprocess.TimeoutExpired) as failure:
            printed = scenario.output.read_text() if scenario.output.exists() else ""
            print(f"FAILED: {failure}\n--- what the program printed:\n{printed}", file=sys.stderr)
            return 1
        finally:
            scenario.clean_up()
    return 0


if __name__ == "__main__":
    sys.exit(main())
