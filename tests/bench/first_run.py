#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Times the README's first command, `./dev run --headless`, on a bare Debian 12: installing, building, training.

    first_run.py FOLDER [--json]

What is committed is copied into a Debian that has nothing else (tests/package/in_bare_debian.sh, whose FOLDER this is) and run
there. Prints a line a figure, in the form of bench.py with --json. The compiler's cache is off, as it is empty there.
"""
import argparse
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
BUILDING = re.compile(r"building \d+ of (\d+)")
STEP = re.compile(r"\bstep [1-9]")
GOALS = {"to_first_step": 240}  # seconds, without installing


def follow(process):
    """Returns when building began, when the first step was reported, when all was over, and the number of build steps."""
    building = step = None
    steps = 0
    for line in process.stdout:
        print(line, end="", file=sys.stderr, flush=True)
        if match := BUILDING.search(line):
            building, steps = building or time.monotonic(), int(match.group(1))
        if step is None and building and STEP.search(line):
            step = time.monotonic()
    return building, step, time.monotonic(), steps


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--json", action="store_true", help="one JSON object a line")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        source = pathlib.Path(folder, "source.tar")
        subprocess.run(["git", "archive", "--output", source, "HEAD"], cwd=ROOT, check=True)
        script = "mkdir batchscope\ntar -xf source.tar -C batchscope\ncd batchscope\nCCACHE_DISABLE=1 ./dev run --headless 2>&1\n"
        began = time.monotonic()
        with subprocess.Popen([ROOT / "tests/package/in_bare_debian.sh", options.folder, source], stdin=subprocess.PIPE,
                              stdout=subprocess.PIPE, text=True) as process:
            process.stdin.write("cd /root\n" + script)
            process.stdin.close()
            building, step, ended, steps = follow(process)
    if process.returncode != 0 or step is None:
        sys.exit(f"first_run.py: ./dev run --headless failed with {process.returncode}; its output is above")
    figures = {"install": building - began, "to_first_step": step - building, "train": ended - step}
    for name, seconds in figures.items():
        row = {"name": f"first_run.{name}", "value": round(seconds, 1), "unit": "s", "better": "lower", "goal": GOALS.get(name), "runs": 1}
        print(json.dumps(row) if options.json else f"{row['name']:<28}{seconds:>10.0f}  s", flush=True)
    print(f"{steps} build steps", file=sys.stderr)


if __name__ == "__main__":
    main()
