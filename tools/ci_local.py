#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the commands of a job of .github/workflows on this machine (./dev ci-local).

    ci_local.py [--here] [--list] [JOB...]

The commands run in order in a clone of the last commit, in a bare Debian (tests/package/in_bare_debian.sh, as root): 12, unless the
job has another image. With --here only the job's calls of ./dev run, in this tree and on this system. Actions are left out: the clone
replaces the checkout, and caches and uploads need GitHub. The jobs of nightly.yml are the rows of its matrix. Default: fast."""
import argparse
import os
import pathlib
import subprocess
import sys
import tempfile

import yaml

ROOT = pathlib.Path(__file__).resolve().parents[1]


def rows():
    """Returns each job with the values of its row, by the row's name."""
    found = {}
    for file in sorted((ROOT / ".github/workflows").glob("*.yml")):
        for name, job in yaml.safe_load(file.read_text(encoding="utf-8"))["jobs"].items():
            for row in job.get("strategy", {}).get("matrix", {}).get("include", [{"name": name}]):
                found[row["name"]] = job, row
    return found


def jobs():
    """Returns the steps of each job by its name; a step is a command, or None for the checkout."""
    return {name: [step["run"].replace("${{ matrix.command }}", row.get("command", "")) if "run" in step else None
                   for step in job["steps"] if "run" in step or step["uses"].startswith("actions/checkout@")]
            for name, (job, row) in rows().items()}


def debian_of(name):
    """Returns the number of the Debian that a job runs in."""
    return rows()[name][1].get("image", "debian:12").removeprefix("debian:")


def run_here(_name, steps):
    for step in steps:
        if step and step.startswith("./dev"):
            print(f"$ {step}", flush=True)
            subprocess.run(["bash", "-euo", "pipefail", "-c", step], cwd=ROOT, env={**os.environ, "CI": "true"}, check=True)


def run_in_bare_debian(name, steps):
    script = ["cd /root", "export CI=true", "set -x"]
    for step in steps:
        script.append(step if step else "tar -xf clone.tar\ncd batchscope")
    with tempfile.TemporaryDirectory() as folder:
        clone, packed = pathlib.Path(folder, "batchscope"), pathlib.Path(folder, "clone.tar")
        subprocess.run(["git", "clone", "--quiet", ROOT, clone], check=True)
        subprocess.run(["tar", "-cf", packed, "-C", folder, "batchscope"], check=True)
        bare = ROOT / f"build/debian-{debian_of(name)}"
        bare.parent.mkdir(exist_ok=True)
        subprocess.run([ROOT / "tests/package/in_bare_debian.sh", bare, packed], input="\n".join(script) + "\n", text=True, check=True)


def main():
    known = jobs()
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("jobs", nargs="*", metavar="JOB", help=", ".join(known))
    parser.add_argument("--here", action="store_true", help="run only the calls of ./dev, in this tree")
    parser.add_argument("--list", action="store_true", help="print the jobs and their commands, and run nothing")
    arguments = parser.parse_args()
    if unknown := [name for name in arguments.jobs if name not in known]:
        sys.exit(f"./dev ci-local: there is no job '{unknown[0]}'; the workflows have {', '.join(known)}")
    if arguments.list:
        for name, steps in known.items():
            print(f"{name}:", *(f"  {step or '(checkout)'}" for step in steps), sep="\n")
        return
    for name in arguments.jobs or ["fast"]:
        try:
            (run_here if arguments.here else run_in_bare_debian)(name, known[name])
        except subprocess.CalledProcessError as error:
            sys.exit(f"./dev ci-local: the job {name} failed, exit code {error.returncode}; its output is above")
        print(f"the job {name} passed", flush=True)


if __name__ == "__main__":
    main()
