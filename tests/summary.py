#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Says at a suite's end how many tests ran and which were skipped, and why.

    summary.py SUITE.xml [--strict] [--again AGAIN.xml] [--rooms NAME..]

SUITE.xml is what `ctest --output-junit` writes. A test is skipped where it exits with 77, a part of it where Qt Test prints SKIP. With --strict (./dev test where CI is set) a skip that tests/may_skip.txt does not list is a failure: a package that
was not there when the build was configured must not pass for a green suite. Each of the rooms must have tests for the same reason.
AGAIN.xml is of the tests that failed and have run once more; those that passed then are named, for each is a fault of a test or worse.
"""
import argparse
import pathlib
import re
import sys
import xml.etree.ElementTree

PART = re.compile(r"^SKIP\s*: (\S+)\(.*?\) (.*)$", re.M)


def read_suite(file):
    """Returns the names of the tests that passed and of those that failed, (test, reason) of each skip, and the names of all."""
    passed, failed, skips, names = [], [], [], []
    for case in xml.etree.ElementTree.parse(file).iter("testcase"):
        name, output = case.get("name"), case.findtext("system-out") or ""
        names.append(name)
        if case.find("skipped") is not None:
            lines = [line for line in output.splitlines() if line.strip()]
            skips.append((name, lines[-1].strip() if lines else "it gives no reason"))
            continue
        (passed if case.find("failure") is None else failed).append(name)
        skips += [(name, f"{reason} ({function})") for function, reason in PART.findall(output)]
    return passed, failed, skips, names


def allowed(table, name, reason):
    return any(name == test and part in reason for test, part in table)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("suite", type=pathlib.Path)
    parser.add_argument("--strict", action="store_true", help="fail for a skip that may_skip.txt does not list")
    parser.add_argument("--again", type=pathlib.Path, help="what ran once more since it had failed")
    parser.add_argument("--rooms", nargs="*", default=[], help="fail if one of these has no test")
    options = parser.parse_args()
    lines = pathlib.Path(__file__).with_name("may_skip.txt").read_text().splitlines()
    table = [line.split(": ", 1) for line in lines if line and not line.startswith("#")]
    passed, failed, skips, names = read_suite(options.suite)
    recovered = [name for name in read_suite(options.again)[0] if name in failed] if options.again else []
    missing = [room for room in options.rooms if not any(name.startswith(room + ".") for name in names)]
    refused = [skip for skip in skips if not allowed(table, *skip)]
    for name, reason in skips:
        mark = "NOT ALLOWED" if options.strict and (name, reason) in refused else "skipped"
        print(f"{mark}: {name}: {reason}")
    if options.strict and refused:
        print("Where CI is set these tests must run: install what they need, or list them in tests/may_skip.txt with the reason.")
    for room in missing:
        print(f"NO TESTS: {room}: the build was configured without what its tests need")
    for name in recovered:
        print(f"FLAKY: {name}: failed, and passed when it ran once more")
    good, bad = len(passed) + len(recovered), len(failed) - len(recovered)
    print(f"{good} passed, {bad} failed, {len(names) - good - bad} skipped")
    return 1 if missing or (options.strict and refused) else 0


if __name__ == "__main__":
    sys.exit(main())
