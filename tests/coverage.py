#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Prints how much of each room the tests have taken: lines, and the branches of conditions.

    coverage.py BUILD [--json] [--untaken ROOM]

BUILD is a build of the preset coverage whose tests have run (PRESET=coverage ./dev test). gcov has counted. After the table come the
refusals that no test has seen: lines with a throw that were never executed. --untaken lists the lines of a room with branches that
no test takes, too.

Branches count on lines with a condition: if, for, while, switch, case, ?, && or ||, the last two also at the end of the line before.
A condition has two, and a switch one a case. One that is never asked on a line that ran counts by the one that keeps it from being
asked; on a line that never ran it counts. A template counts once, with what all its instances have taken. What gcc makes besides
these is not counted, as nobody has written it:
- whether a call throws, which gcc asks after each call, and what is to be destroyed then;
- whether a static value is made already, a list's end is reached where it is destroyed, and a pointer is null where it is deleted;
- whether a catch takes an exception of another type, and the members that `= default` compares.
"""
import argparse
import collections
import json
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests/rooms"))
from rules import ROOMS  # noqa: E402

LINE = re.compile(r"\s*(-|#####|=====|(\d+)\*?):\s*(\d+):")
BLOCK = re.compile(r"\s*(?:\$\$\$\$\$|%%%%%|\d+\*?):\s*\d+-block")
BRANCH = re.compile(r"branch\s+\d+ taken (\d+)(?:.*\((throw)\))?")  # one that was never reached is told otherwise


class Line:
    """How often a line ran, and which branches its instances took, by the places of block and branch in it."""

    def __init__(self):
        self.count = 0
        self.whole, self.instances = {}, {}

    def branches(self):
        """Returns whether each branch was taken, in a template by any instance."""
        return list((self.instances or self.whole).values())

    def add(self, blocks, is_instance):
        """Adds, of each block, (taken, whether by an exception) of its branches. gcov tells of all instances together, then of each."""
        branches = self.instances if is_instance else self.whole
        for place, block in enumerate(blocks):
            if any(throws for _, throws in block):
                continue  # a call, and whether it throws
            for number, (taken, _) in enumerate(block):
                branches[place, number] = branches.get((place, number), False) or taken


def read_counts(data, files):
    """Adds what gcov tells of one object to the files: of each its lines by number."""
    process = subprocess.Popen(["gcov", "--all-blocks", "--branch-probabilities", "--branch-counts", "--stdout", "--relative-only",
                                "--source-prefix", ROOT, data], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
                               errors="replace", cwd=data.parent)  # fmt: skip
    lines, line, blocks, is_instance = None, Line(), [], False
    for text in process.stdout:
        if text.startswith("-----"):  # around the name of an instance, and behind the last one
            line.add(blocks, is_instance)
            line, blocks, is_instance = Line(), [], False
        elif text.endswith(":\n") and not LINE.match(text) and not BLOCK.match(text):
            is_instance = True
        elif BLOCK.match(text):
            blocks.append([])
        elif found := BRANCH.match(text):
            blocks[-1].append((int(found[1]) > 0, found[2] is not None))
        elif found := LINE.match(text):
            line.add(blocks, is_instance)
            line, blocks = Line(), [[]]  # its first block may begin on a line before
            if source := re.match(r"\s*-:\s*0:Source:(?:\.\./)*(.*)", text):
                lines = files[source[1]] if source[1].startswith(tuple(room + "/" for room in ROOMS)) else None
            elif lines is not None and found[1] != "-":
                line = lines[int(found[3])]
                line.count += int(found[2] or 0)
    line.add(blocks, is_instance)
    if process.wait():
        sys.exit(f"coverage.py: gcov cannot read {data}")


def counted(build):
    """Returns the lines, by number, of each file of the rooms."""
    files = collections.defaultdict(lambda: collections.defaultdict(Line))
    for data in sorted(build.resolve().rglob("*.gcda")):
        read_counts(data, files)
    if not files:
        sys.exit(f"coverage.py: {build} has no counts: run PRESET=coverage ./dev test")
    return files


def conditions(code, before):
    """Returns how many a line has outside of texts and comments, with the one that goes on from the line before."""
    bare, bare_before = (re.sub(r"//.*", "", re.sub(r'"(\\.|[^"\\])*"', '""', text)).rstrip() for text in (code, before))
    return len(re.findall(r"\b(?:if|for|while|switch|case)\b|\?|&&|\|\|", bare)) + bare_before.endswith(("&&", "||"))


class Taken:
    """How many there are, and how many were taken."""

    def __init__(self):
        self.all = self.taken = 0

    def add(self, count):
        self.all += 1
        self.taken += count > 0

    def share(self):
        return 100 * self.taken / self.all if self.all else 100.0


def by_room(files):
    """Returns the lines and branches taken of each room, (file, line, text) of each throw that was not, and of each line with branches
    that were not."""
    lines, branches, unseen, untaken = collections.defaultdict(Taken), collections.defaultdict(Taken), [], []
    for name in sorted(files):
        room = next(room for room in ROOMS if name.startswith(room + "/"))
        text = (ROOT / name).read_text(encoding="utf-8").splitlines()
        for number, line in sorted(files[name].items()):
            code = text[number - 1].strip()
            if code in ("", "{", "}", "};"):
                continue
            lines[room].add(line.count)
            asked = conditions(code, text[number - 2] if number > 1 else "")
            found = [] if not asked or code.endswith("= default;") else line.branches() if line.count else [False, False] * asked
            for taken in found:
                branches[room].add(taken)
            if not all(found):
                untaken.append((name, number, f"{sum(found)} of {len(found)}: {code}"))
            if line.count == 0 and "throw " in code:
                unseen.append((name, number, code))
    return lines, branches, unseen, untaken


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("build", type=pathlib.Path, help="a build of the preset coverage whose tests have run")
    parser.add_argument("--json", action="store_true", help="print one object instead of tables")
    parser.add_argument("--untaken", metavar="ROOM", help="list the room's lines with branches that no test takes")
    options = parser.parse_args()
    lines, branches, unseen, untaken = by_room(counted(options.build))
    rooms = [room for room in ROOMS if room in lines]
    if options.json:
        shares = {room: {"lines": round(lines[room].share(), 1), "branches": round(branches[room].share(), 1)} for room in rooms}
        print(json.dumps({"rooms": shares, "unseen": [{"file": file, "line": line} for file, line, _ in unseen]}))
        return
    print(f"{'room':18}{'lines':>8}{'%':>7}{'branches':>10}{'%':>7}")
    for room in rooms:
        print(f"{room:18}{lines[room].all:8,}{lines[room].share():7.1f}{branches[room].all:10,}{branches[room].share():7.1f}")
    if unseen:
        print(f"\n{len(unseen)} refusals that no test has seen:")
        for file, line, code in unseen:
            print(f"  {file}:{line}: {code[:90]}")
    if options.untaken:
        print(f"\nLines of {options.untaken} with branches that no test takes:")
        for file, line, code in untaken:
            if file.startswith(options.untaken + "/"):
                print(f"  {file}:{line}: {code[:90]}")


if __name__ == "__main__":
    main()
