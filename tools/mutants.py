#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks whether the tests would notice a fault: changes a room's sources one place at a time, and runs the tests that cover it.

  mutants.py [ROOM...] [--seed N] [--count N] [--minutes N] [--line FILE:LINE] [--again FILE] [--own | --fast] [--json]

Rooms have the names of their tests, such as goodput, policy, storage; default: all rooms. --seed picks the places, --count their
number (100). --line tries all changes of one line instead, --again those that went unnoticed in an earlier --json. The unnoticed
changes are listed at the end. Enter a change that does the same as the original, with the reason, in tests/mutants/equivalent.txt:
it is not tried again. The exit code is 1 if a fault went unnoticed, and 2 if the search could not begin.

It works on a copy of the tree in build/mutants, where the rooms' files are compiled one by one. First one program has many changes, and
chooses one at a time (switched.py). A change that the tests do not notice there, or that cannot be there, is then made alone: its file is
compiled. A change that does not compile is not counted, and neither is a change that compiles to the same code. In both ways the room's own
tests run: those that noticed earlier changes of the file, the other fast ones, and scenarios (not with --fast), which have to fail twice.
If they notice nothing, the tests of other rooms follow (not with --own). A change that loops for ever is noticed by a limit of processor
time, three times what the longest test took, and one that waits for ever by the tests' own time limits: neither depends on how busy the
machine is. One that forks for ever is noticed by the number of its processes (bounded.py).
"""

import argparse
import json
import os
import pathlib
import random
import re
import shutil
import sys
import time
from collections import Counter, defaultdict
from typing import NamedTuple

from bounded import run
from mutations import mutations
from switched import NAMED, VARIABLE, switched

ROOT = pathlib.Path(__file__).resolve().parent.parent
EQUIVALENT = ROOT / "tests/mutants/equivalent.txt"
WORK = ROOT / "build/mutants"
TREE, BUILD = WORK / "tree", WORK / "build"
OUTCOMES = ("noticed", "unnoticed", "equivalent", "same code", "not compiled")
SHORTEST, PATIENCE = 5, 3  # the least limit of processor time in s, and the limit as a multiple of the time before
FEWEST, MOST = 8, 100  # changes in one program: fewer are tried one by one sooner, and nothing is told before all of one program are tried
ALONE = {"goodput_tests", "policy_tests"}  # start no process: a test that ends at its first fault leaves nothing behind


class Stage(NamedTuple):
    """Tests that run together, and what they need built."""

    tests: str  # what ctest -R takes
    targets: tuple[str, ...]
    tier: str = "fast"  # the label that they have


class Room(NamedTuple):
    folder: str
    own: list[Stage]  # the fast tests first
    others: list[Stage] = []  # of the rooms above

    def stages(self, options):
        return self.own[:1] if options.fast else self.own if options.own else self.own + self.others


def fast(room):
    return Stage(f"^{room}\\.", (f"{room}_tests",))


def scenarios(room, *further):
    return Stage(f"^{room}\\.", (f"{room}_tests", *further), "full")


SIMULATIONS = Stage("^cli\\.simulate$", ("cli_tests", "batchscope-simulate", "batchscope"), "full")
ROOMS = {
    "goodput": Room("engine/goodput", [fast("goodput")], [fast("policy")]),
    "policy": Room("engine/policy", [fast("policy")], [fast("pool"), SIMULATIONS]),
    "storage": Room("storage", [fast("storage")]),
    "protocol": Room("engine/protocol", [fast("protocol")], [fast("storage")]),
    "replica": Room("engine/replica", [fast("replica")]),
    "http": Room("engine/http", [fast("http")]),
    "run": Room("engine/run", [fast("run"), scenarios("run", "fake-replica", "test-supervisor")]),
    "pool": Room("engine/pool", [fast("pool")]),
    "sweep": Room("engine/sweep", [fast("sweep"), scenarios("sweep", "ask-and-tell")]),
    "common": Room("app/common", [fast("common")]),
}  # fmt: skip


class Refused(Exception):
    """A request that cannot be met."""


def copy_tree():
    """Brings the copy up to date. Files that did not change keep their time, so that they are not built again."""
    listed = run(["git", "ls-files", "-co", "--exclude-standard", "-z"], cwd=ROOT).stdout.split("\0")
    wanted = {name for name in listed if name and (ROOT / name).is_file()}
    for name in wanted:
        source, copy = ROOT / name, TREE / name
        if copy.exists() and copy.read_bytes() == source.read_bytes():
            continue
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(source, copy)
    for copy in [each for each in TREE.rglob("*") if each.is_file()]:
        if str(copy.relative_to(TREE)) not in wanted:
            copy.unlink()


def build(targets, *options):
    """Returns the output of a build that failed, else ""."""
    done = run(["cmake", "--build", str(BUILD), "-j", "2", "--target", *targets, "--", *options])
    return done.stdout + done.stderr if done.returncode else ""


class Suite:
    """The tests that cover a room."""

    def __init__(self, room, stages):
        self.room, self.stages = room, stages
        self.limits = {}  # s of processor time, by stage, from its first run on
        self.objects, self.code = {}, {}  # of each source file: its object file, and that one's bytes
        self.times = {stage: {} for stage in stages}  # of its tests when they first ran, in s
        self.noticed = defaultdict(Counter)  # by source file: how many of its changes each test noticed
        self.mutant = None  # the number of the change that the tests choose

    def prepare(self):
        """Builds the tests, and checks that they pass without a change."""
        for stage in self.stages:
            if fault := build(stage.targets):
                raise Refused(f"{self.room.folder} does not build without a change:\n{fault[-2000:]}")
            if failed := self.run(stage):
                raise Refused(f"{', '.join(failed)} fails without a change: mend it first")
        folder = TREE / self.room.folder
        for command in json.loads((BUILD / "compile_commands.json").read_text(encoding="utf-8")):
            path, output = pathlib.Path(command["file"]), re.search(r" -o (\S+)", command["command"])
            if path.is_relative_to(folder) and output and (BUILD / output[1]).exists():
                file = str(path.relative_to(TREE))
                self.objects[file], self.code[file] = output[1], (BUILD / output[1]).read_bytes()

    def run(self, stage, tests=None):
        """Runs a stage's tests, or only some of them, and returns those that failed."""
        command = ["ctest", "--test-dir", str(BUILD), "-R", tests or stage.tests, "-L", f"^{stage.tier}$", "-j", "4", "--stop-on-failure",
                   "--no-tests=error"]  # fmt: skip
        variables = {"QTEST_DISABLE_STACK_DUMP": "1"}  # gdb takes seconds after each crash
        if self.mutant is not None:
            variables[VARIABLE] = str(self.mutant)
        if ALONE.issuperset(stage.targets):
            variables["QTEST_FATAL_FAIL"] = "1"
        done = run(command, limit=self.limits.get(stage), variables=variables)
        times = re.findall(r"Test +#\d+: (\S+) .*? ([\d.]+) sec", done.stdout)
        self.times[stage] = {name: float(seconds) for name, seconds in times} | self.times[stage]
        longest = max((float(seconds) for _, seconds in times), default=0)
        self.limits.setdefault(stage, max(SHORTEST, round(PATIENCE * longest)))
        failed = re.findall(r"^\s*\d+ - (\S+) \(", done.stdout, re.M)
        return failed or (["ctest"] if done.returncode else [])

    def notice(self, stage, file):
        """Returns the stage's tests that fail. First runs, one at a time, those that noticed earlier changes of the file, or that have its
        name, in the order of how much they notice in a second."""
        earlier, own = self.noticed[file], f"{pathlib.Path(self.room.folder).name}.{pathlib.Path(file).stem}"
        times = self.times[stage]
        likely = sorted(times.keys() & {own, *earlier}, key=lambda test: (times[test] + 0.1) / (earlier[test] + 1))
        rest = times.keys() - likely
        groups = [[test] for test in likely] + ([rest] if rest else [])
        failed = next(filter(None, (self.run_some(stage, tests) for tests in groups)), [])
        is_sure = not failed or stage.tier == "fast"  # a busy machine may have failed a scenario
        failed = failed if is_sure else self.run_some(stage, failed)
        self.noticed[file].update(failed)
        return failed

    def run_some(self, stage, tests):
        return self.run(stage, "|".join(f"^{re.escape(test)}$" for test in tests))

    def judge(self, file):
        """Returns the outcome of the file's change, and the test that noticed it, if one did."""
        if file in self.objects:
            if build([self.objects[file]]):
                return "not compiled", None
            if (BUILD / self.objects[file]).read_bytes() == self.code[file]:
                return "same code", None
        for stage in self.stages:
            if build(stage.targets):
                return "not compiled", None
            if failed := self.notice(stage, file):
                return "noticed", failed[0]
        return "unnoticed", None

    def judge_together(self, trials, until):
        """Judges trials in one program, until a time. Only those that a test notices there have an outcome then."""
        trials = dict(enumerate(trials, 1))
        originals = {trial.file: (TREE / trial.file).read_text(encoding="utf-8") for trial in trials.values()}
        try:
            within = self.build_together(trials, originals)
            self.mutant = 0
            if not within or any(self.run(stage) for stage in self.stages):
                return
            for self.mutant in sorted(within):
                trial = trials[self.mutant]
                failed = next(filter(None, (self.notice(stage, trial.file) for stage in self.stages)), None)
                if failed:
                    trial.outcome, trial.test = "noticed", failed[0]
                if time.monotonic() > until:
                    return
        finally:
            self.mutant = None
            for file, text in originals.items():
                (TREE / file).write_text(text, encoding="utf-8")

    def build_together(self, trials, originals):
        """Builds the tests with the changes of trials, by their numbers, but for those that the compiler rejects. Returns the numbers."""
        trials = dict(trials)
        while trials:
            within = set()
            for file, original in originals.items():
                changes = {number: trial.mutation for number, trial in trials.items() if trial.file == file}
                text, numbers = switched(original, changes) if changes else (original, set())
                (TREE / file).write_text(text, encoding="utf-8")
                within |= numbers
            fault = build([target for stage in self.stages for target in stage.targets], "-k", "0")
            if not fault:
                return within
            named = {int(number) for numbers in NAMED.findall(fault) for number in numbers.split("_")}
            files = set(re.findall(r"^FAILED: (\S+)", fault, re.M))  # wholly rejected if no change is named
            rejected = named & trials.keys() or {number for number, trial in trials.items() if self.objects.get(trial.file) in files}
            trials = {number: trial for number, trial in trials.items() if rejected and number not in rejected}
        return set()


def known_equivalents():
    """Returns (file, before, after) of changes that do the same as the original; after is * for all changes of a line."""
    if not EQUIVALENT.exists():
        return set()
    lines = [line for line in EQUIVALENT.read_text(encoding="utf-8").splitlines() if line and not line.startswith("#")]
    return {tuple(line.split("\t")[:3]) for line in lines}


class Trial:
    """One change, tried."""

    def __init__(self, name, file, mutation):
        self.name, self.file, self.mutation = name, file, mutation
        self.outcome, self.test = "", None

    def key(self):
        return self.file, self.mutation.before, self.mutation.after

    def compare(self, equivalents):
        if not equivalents.isdisjoint([self.key(), (*self.key()[:2], "*")]):
            self.outcome = "equivalent"

    def take_place(self, suite):
        path = TREE / self.file
        original = path.read_text(encoding="utf-8")
        try:
            path.write_text(self.mutation.applied(original), encoding="utf-8")
            self.outcome, self.test = suite.judge(self.file)
        finally:
            path.write_text(original, encoding="utf-8")

    def text(self):
        what = f"{self.outcome} by {self.test}" if self.test else self.outcome
        return f"{what}  {self.file}:{self.mutation.line}\n      {self.mutation.before}\n   -> {self.mutation.after}"

    def json(self):
        line, before, after = self.mutation
        return {"room": self.name, "file": self.file, "line": line, "before": before, "after": after, "outcome": self.outcome,
                "test": self.test}


def unnoticed_before(path):
    """Returns (file, before, after) of changes that an earlier --json calls unnoticed; None without a file."""
    if path is None:
        return None
    try:
        trials = [json.loads(line) for line in pathlib.Path(path).read_text(encoding="utf-8").splitlines()]
        return {(each["file"], each["before"], each["after"]) for each in trials if each.get("outcome") == "unnoticed"}
    except (OSError, ValueError, AttributeError, KeyError) as fault:
        raise Refused(f"--again {path}: the file is not the output of --json ({fault})") from fault


def places(name, line):
    """Returns every change of a room's sources, or of one line."""
    room = ROOMS[name]
    found = []
    for path in sorted((ROOT / room.folder).rglob("*.cpp")):
        file = str(path.relative_to(ROOT))
        for mutation in mutations(path.read_text(encoding="utf-8")):
            if line is None or line == (file, mutation.line):
                found.append(Trial(name, file, mutation))
    return found


def asked():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("rooms", nargs="*", metavar="ROOM", help=", ".join(ROOMS))
    parser.add_argument("--seed", type=int, default=1, help="the seed that picks the places")
    parser.add_argument("--count", type=int, default=100, help="number of changes in each room")
    parser.add_argument("--minutes", type=float, help="begin no other change after this time")
    parser.add_argument("--line", metavar="FILE:LINE", help="try all changes of this line")
    parser.add_argument("--again", metavar="FILE", help="try only the unnoticed changes in FILE, the output of --json")
    parser.add_argument("--own", action="store_true", help="run only the room's own tests")
    parser.add_argument("--fast", action="store_true", help="run only the room's own fast tests")
    parser.add_argument("--json", action="store_true", help="print a line of JSON for each change, and one for the total")
    options = parser.parse_args()
    for name in options.rooms:
        if name not in ROOMS:
            raise Refused(f"there is no room '{name}': name one of {', '.join(ROOMS)}")
    options.line, options.rooms = line_of(options.line, options.rooms)
    options.again = unnoticed_before(options.again)
    return options


def line_of(text, rooms):
    """Returns (FILE, LINE) of --line and the room that it lies in; without --line, None and the rooms."""
    if text is None:
        return None, rooms or list(ROOMS)
    found = re.fullmatch(r"(.+):(\d+)", text)
    if not found or not (ROOT / found[1]).is_file():
        raise Refused(f"--line {text}: write FILE:LINE, with the file's path from the root of the tree")
    inside = [name for name, room in ROOMS.items() if found[1].startswith(room.folder + "/")]
    if not inside:
        raise Refused(f"--line {text}: the file is not in a room: {', '.join(ROOMS)}")
    return (found[1], int(found[2])), inside


def prepare(rooms):
    """Configures the copy as CI is, but a warning, such as of what a dropped statement no longer uses, ends no build."""
    TREE.mkdir(parents=True, exist_ok=True)
    copy_tree()
    apart = ";".join(f"batchscope_{name}" for name in rooms)
    configured = run(["cmake", "--preset", "ci", "-S", str(TREE), "-B", str(BUILD), "-D", "BATCHSCOPE_WERROR=OFF",
                      "-D", f"BATCHSCOPE_APART={apart}"])  # fmt: skip
    if configured.returncode:
        raise Refused(f"the copy in {WORK} cannot be configured:\n{configured.stderr[-2000:]}")


def chosen_places(options, name):
    chosen = places(name, options.line)
    if options.again is not None:
        return [trial for trial in chosen if trial.key() in options.again]
    if options.line:
        return chosen
    return random.Random(options.seed).sample(chosen, min(options.count, len(chosen)))


def try_all(options, tell):
    trials, end = [], time.monotonic() + 60 * options.minutes if options.minutes else float("inf")
    for name in options.rooms:
        chosen = chosen_places(options, name)
        if not chosen or time.monotonic() > end:
            continue
        suite = Suite(ROOMS[name], ROOMS[name].stages(options))
        suite.prepare()
        for first in range(0, len(chosen), MOST):
            for trial in try_some(suite, chosen[first : first + MOST], end):
                trials.append(trial)
                tell(trial, len(trials))
    return trials


def try_some(suite, chosen, end):
    """Yields trials with their outcomes, in the order of the seed. Else --minutes would leave out mostly what goes unnoticed."""
    equivalents = known_equivalents()
    for trial in chosen:
        trial.compare(equivalents)
    left = [trial for trial in chosen if not trial.outcome]
    now = time.monotonic()
    if len(left) >= FEWEST and now < end:
        suite.judge_together(left, now + (end - now) / 2)
    for trial in chosen:
        if time.monotonic() > end:
            return
        if not trial.outcome:
            trial.take_place(suite)
        yield trial


def main():
    options = asked()
    prepare(options.rooms)

    def tell(trial, number):
        if options.json:
            print(json.dumps(trial.json()), flush=True)
        else:
            print(f"{number:4}  {trial.text()}", flush=True)

    trials = try_all(options, tell)
    counted = {what: sum(trial.outcome == what for trial in trials) for what in OUTCOMES}
    faults = counted["noticed"] + counted["unnoticed"]
    if options.json:
        print(json.dumps({"seed": options.seed, **counted}))
    else:
        share = f" ({100 * counted['noticed'] / faults:.0f} %)" if faults else ""
        print(f"{counted['noticed']} of {faults} faults were noticed{share}; {counted['equivalent'] + counted['same code']} changes do the same "
              f"as the original, {counted['not compiled']} did not compile; seed {options.seed}")
        for trial in trials:
            if trial.outcome == "unnoticed":
                print(f"unnoticed: {trial.file}:{trial.mutation.line}  {trial.mutation.before}  ->  {trial.mutation.after}")
    return 1 if counted["unnoticed"] else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except Refused as refusal:
        print(f"mutants.py: {refusal}", file=sys.stderr)
        sys.exit(2)
    except KeyboardInterrupt:
        sys.exit(130)
