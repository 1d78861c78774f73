#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the bench programs and prints what they measured.

Every program bench_* prints one JSON object a line:
  {"name":"step.mlp.k1","value":1.03,"unit":"ratio","better":"lower","goal":1.05,"runs":5,"min":..,"max":..}
and, called with --list, the names it measures. Names given here are prefixes and choose the programs and
the lines; with none, everything runs. Exits with 1 when a program fails, or a name matches nothing.
"""
import argparse
import json
import pathlib
import subprocess
import sys


def met(row):
    if row.get("goal") is None:
        return "-"
    if row["value"] is None:
        return "missed"
    good = row["value"] <= row["goal"] if row["better"] == "lower" else row["value"] >= row["goal"]
    return "met" if good else "missed"


def number(value):
    return "-" if value is None else f"{value:.4g}"


def main():
    parser = argparse.ArgumentParser(prog="./dev bench", description="Measure; figures are medians.")
    parser.add_argument("folder", type=pathlib.Path, help=argparse.SUPPRESS)
    parser.add_argument("names", nargs="*", metavar="NAME", help="prefixes, such as step or fit.20")
    parser.add_argument("--json", action="store_true", help="one JSON object a line")
    options = parser.parse_args()

    def wanted(name):
        return not options.names or any(name.startswith(prefix) for prefix in options.names)

    header = f"{'name':<28}{'median':>10}  {'unit':<8}{'goal':>9}  {'':<8}{'runs':>5}{'min':>10}{'max':>10}"
    found = failed = 0
    for program in sorted(options.folder.glob("bench_*")):
        listed = subprocess.run([program, "--list"], capture_output=True, text=True, check=True).stdout.split()
        chosen = [name for name in listed if wanted(name)]
        if not chosen:
            continue
        with subprocess.Popen([program, *chosen], stdout=subprocess.PIPE, text=True) as process:
            for line in process.stdout:
                row = json.loads(line)
                if not wanted(row["name"]):
                    continue
                if options.json:
                    print(line.rstrip(), flush=True)
                else:
                    if not found:
                        print(header)
                    sign = "<=" if row["better"] == "lower" else ">="
                    goal = f"{sign} {number(row['goal'])}" if row.get("goal") is not None else "-"
                    print(f"{row['name']:<28}{number(row['value']):>10}  {row['unit']:<8}{goal:>9}  {met(row):<8}"
                          f"{row['runs']:>5}{number(row.get('min')):>10}{number(row.get('max')):>10}", flush=True)
                found += 1
        if process.returncode != 0:
            print(f"./dev bench: {program.name} failed with exit code {process.returncode}", file=sys.stderr)
            failed += 1
    if not found and not failed:
        print(f"./dev bench: nothing is called {' or '.join(options.names) or 'bench_*'}", file=sys.stderr)
        return 1
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
