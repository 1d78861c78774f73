#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Prints how much of each room the tests have taken: lines, and branches but for those that only an exception makes.

    coverage.py BUILD [--json]

BUILD is a build of the preset coverage whose tests have run (PRESET=coverage ./dev test). gcovr reads what gcc has counted. After the
table come the refusals that no test has seen: lines with a throw that were never executed.
"""
import argparse
import collections
import json
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests/rooms"))
from rules import ROOMS  # noqa: E402


def counted(build):
    """Returns gcovr's report: of each file its lines, with their counts and those of their branches."""
    done = subprocess.run(["gcovr", "--root", ROOT, "--json", "-", "--exclude-throw-branches", "--exclude-unreachable-branches",
                           *(word for room in ("engine/", "storage/", "app/") for word in ("--filter", room)), "--gcov-ignore-parse-errors", build],
                          capture_output=True, text=True, cwd=ROOT)  # fmt: skip
    if done.returncode:
        sys.exit(f"coverage.py: gcovr failed: {done.stderr.strip()[-2000:]}")
    files = json.loads(done.stdout)["files"]
    if not files:
        sys.exit(f"coverage.py: {build} has no counts: run PRESET=coverage ./dev test")
    return files


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
    """Returns the lines and branches taken of each room, and (file, line, text) of each throw that was not."""
    lines, branches, unseen = collections.defaultdict(Taken), collections.defaultdict(Taken), []
    for file in files:
        room = next((name for name in ROOMS if file["file"].startswith(name + "/")), None)
        if room is None:
            continue
        text = (ROOT / file["file"]).read_text(encoding="utf-8").splitlines()
        for line in file["lines"]:
            if line["gcovr/noncode"]:
                continue
            lines[room].add(line["count"])
            for branch in line["branches"]:
                branches[room].add(branch["count"])
            code = text[line["line_number"] - 1].strip()
            if line["count"] == 0 and "throw " in code:
                unseen.append((file["file"], line["line_number"], code))
    return lines, branches, unseen


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("build", type=pathlib.Path, help="a build of the preset coverage whose tests have run")
    parser.add_argument("--json", action="store_true", help="print one object instead of tables")
    options = parser.parse_args()
    lines, branches, unseen = by_room(counted(options.build))
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


if __name__ == "__main__":
    main()
