#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Prints how much of each room the tests have taken: lines, and the branches of conditions.

    coverage.py BUILD [--json] [--untaken ROOM]

BUILD is a build of the preset coverage whose tests have run (PRESET=coverage ./dev test). gcovr reads what gcc has counted, without
the branches that only an exception makes. After the table come the refusals that no test has seen: lines with a throw that were never
executed. --untaken lists the lines of a room with branches that no test takes, too.

Branches count on lines with a condition: if, for, while, switch, case, ?, && or ||, the last two also at the end of the line before.
Those of other lines are gcc's own: whether a static value is made already, or a list's end is reached where it is destroyed.
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


def counted(build):
    """Returns gcovr's report: of each file its lines, with their counts and those of their branches."""
    done = subprocess.run(["gcovr", "--root", ROOT, "--json", "-", "--exclude-throw-branches", "--exclude-unreachable-branches",
                           "--filter", "engine/|storage/|app/", "--gcov-ignore-parse-errors", build],
                          capture_output=True, text=True, cwd=ROOT)  # fmt: skip
    if done.returncode:
        sys.exit(f"coverage.py: gcovr failed: {done.stderr.strip()[-2000:]}")
    files = json.loads(done.stdout)["files"]
    if not files:
        sys.exit(f"coverage.py: {build} has no counts: run PRESET=coverage ./dev test")
    return files


def has_condition(code, before):
    """Returns whether a line has one outside of texts and comments, or goes on with one of the line before."""
    bare, bare_before = (re.sub(r"//.*", "", re.sub(r'"(\\.|[^"\\])*"', '""', text)).rstrip() for text in (code, before))
    return bool(re.search(r"\b(?:if|for|while|switch|case)\b|\?|&&|\|\|", bare)) or bare_before.endswith(("&&", "||"))


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
    for file in files:
        name = file["file"]
        room = next((room for room in ROOMS if name.startswith(room + "/")), None)
        if room is None:
            continue
        text = ["", *(ROOT / name).read_text(encoding="utf-8").splitlines()]
        for line in file["lines"]:
            if line["gcovr/noncode"]:
                continue
            number = line["line_number"]
            code = text[number].strip()
            lines[room].add(line["count"])
            found = [branch["count"] for branch in line["branches"]] if has_condition(code, text[number - 1]) else []
            for count in found:
                branches[room].add(count)
            if not all(found):
                untaken.append((name, number, f"{sum(map(bool, found))} of {len(found)}: {code}"))
            if line["count"] == 0 and "throw " in code:
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
