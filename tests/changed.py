#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Prints the labels of the tests that a change can affect, as a regular expression for ctest -L.

    changed.py [BASE]

The change is what differs from BASE (main, or origin/main where one is on main), uncommitted files included. A file affects its room and
each room that may call it (tests/rooms/rules.py); programs of those rooms also run in the scenarios.
"""
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests" / "rooms"))
from rules import ROOMS  # noqa: E402

# Tests that run the programs of these rooms, beside the tests named after the rooms.
PROGRAMS = {
    "scenario": {"app/cli", "examples", "engine/train"},
    "slurm": {"app/cli"},
    "page": {"app/web"},
    "python": {"app/cli"},
    "fuzz": {"engine/protocol", "app/cli", "engine/sweep"},
    "golden": {"engine/goodput", "engine/train"},
    "package": {"app/cli", "engine/train"},
}
EVERYTHING = ".*"


def git(*arguments):
    return subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True, check=True).stdout.split("\n")


def base_commit(named):
    candidates = [named] if named else ["main", "origin/main"]
    for name in candidates:
        try:
            base = git("merge-base", name, "HEAD")[0]
        except subprocess.CalledProcessError:
            continue
        if named or base != git("rev-parse", "HEAD")[0] or name == candidates[-1]:
            return base
    if named:
        sys.exit(f"changed.py: there is no commit '{named}': name a branch or a commit that is in this repository")
    return "HEAD"


def room_of(path):
    """Returns the room of a file or of a test; None if every room depends on it, "" if none does."""
    inner = path.removeprefix("tests/")
    if path.endswith(".md") or path.startswith(("tests/rooms/", "tests/docs/", "tests/bench/", "tools/", "LICENSES/")):
        return ""
    for room in ROOMS:
        if inner.startswith(room + "/"):
            return room
    if inner.startswith("scenarios/"):
        return "scenario"
    if inner.startswith(("slurm/", "fuzz/", "golden/", "package/")):
        return inner.split("/")[0]
    return "app/desktop" if path.startswith("resources/") else None


def affected(rooms):
    """Returns the rooms and all that may call them."""
    found = set(rooms)
    while True:
        callers = {room for room, called in ROOMS.items() if called & found}
        if callers <= found:
            return found
        found |= callers


def labels(paths):
    rooms = {room_of(path) for path in paths}
    if None in rooms:
        return EVERYTHING
    found = affected({room for room in rooms if room in ROOMS})
    names = {room.split("/")[-1] for room in found} | {room for room in rooms if room and room not in ROOMS} | {"rooms"}
    names |= {label for label, runs in PROGRAMS.items() if runs & found}
    return "^(" + "|".join(sorted(names)) + ")$"


if __name__ == "__main__":
    base = base_commit(sys.argv[1] if len(sys.argv) > 1 else None)
    files = git("diff", "--name-only", base) + git("ls-files", "--others", "--exclude-standard")
    print(labels([file for file in files if re.search(r"\S", file)]))
