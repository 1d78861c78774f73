#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""record.py PROGRAMS FOLDER [NAME...]: makes the recorded runs of the lessons, as `batchscope import` reads them.

Each is a run of an example in a store of its own, exported as JSON lines and then made small: five significant digits
are kept, of a long run every so many steps, no resources of devices and no ledger. Its tag, lesson:NAME, is how the
window finds it again. Nothing else is changed: what a lesson shows was measured.
"""

import json
import math
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time

STEPS = 200  # kept of each generation
# Series of which every step is kept: a lesson draws their sums, or says their values at certain steps.
WHOLE = {"scaled": ("step_time", "sync_time"), "branched": ("noise_scale",)}
DIGITS = 5

# name: (command, title)
RUNS = {
    "gain": ("linear_regression --replicas 1 -- --micro-batches 16 --epochs 14", "linear regression"),
    "adascale": ("digits --replicas 2 -- --train-images 4000 --micro-batches 16 --epochs 12", "digits, AdaScale"),
    "linear": ("digits --replicas 2 -- --train-images 4000 --micro-batches 16 --epochs 12 --scaling-rule linear",
               "digits, linear scaling"),
    "elastic": ("digits --replicas 2 --at epoch=3:replicas=1 --at epoch=7:replicas=3 --at epoch=11:replicas=2 -- "
                "--train-images 6000 --epochs 20", "digits, elastic"),
    "crash": ("digits --replicas 2 --at epoch=5:checkpoint -- --train-images 6000 --epochs 10",
              "digits, crash"),
    "wide": ("digits --replicas 2 --at epoch=3:replicas=1 --at epoch=6:replicas=2 --at epoch=9:replicas=1 "
             "--at epoch=12:replicas=2 -- --train-images 6000 --epochs 16", "wide"),
    "narrow": ("digits --replicas 2 --at epoch=2:replicas=1 --at epoch=4:replicas=2 --at epoch=6:replicas=1 "
               "--at epoch=8:replicas=2 -- --train-images 6000 --epochs 9 --max-batch-size 40", "narrow"),
    "scaled": ("digits --replicas 1 --at epoch=2:replicas=2 --at epoch=4:checkpoint --at epoch=9:replicas=3 "
               "--at epoch=12:replicas=2 -- --train-images 6000 --epochs 18", "digits, scaled"),
    # Three trials of examples/sweeps/lr-sensitivity.toml, at the same rate.
    "small": ("digits --replicas 1 -- --batch-size 8 --micro-batches 1 --lr 0.008 --epochs 4", "digits, 8 images"),
    "large-adascale": ("digits --replicas 1 -- --batch-size 8 --micro-batches 64 --lr 0.008 --epochs 4",
                       "digits, 512 images, AdaScale"),
    "large-linear": ("digits --replicas 1 -- --batch-size 8 --micro-batches 64 --lr 0.008 --epochs 10 "
                     "--scaling-rule linear", "digits, 512 images, linear scaling"),
    "branched": ("digits --replicas 1 --cores 1 --at step=60:checkpoint --at step=240:checkpoint "
                 "--at step=960:checkpoint --at step=3000:checkpoint -- --epochs 12 --lr 0.002 --no-autoscale",
                 "digits, branched"),
}
KILLED = {"crash": 40, "scaled": 250}  # steps after the first checkpoint
BRANCHED = {"branched": "--batch-sizes 16,32,128,512,2048 --samples 32768 --tolerance 0.2 --replicas 1"}  # at each checkpoint
OVER = ("failed", "finished", "stopped", "interrupted")


class Store:
    def __init__(self, programs, home):
        self.programs = programs
        self.environment = dict(os.environ, BATCHSCOPE_DB=f"{home}/runs.db", XDG_DATA_HOME=home, XDG_STATE_HOME=home,
                                XDG_CACHE_HOME=home, XDG_CONFIG_HOME=home, OMP_WAIT_POLICY="passive")

    def call(self, *words):
        done = subprocess.run([self.programs / "batchscope", *words], env=self.environment, text=True,
                              capture_output=True)
        if done.returncode != 0:
            sys.exit(f"record.py: batchscope {' '.join(words)} failed: {done.stderr}")
        return done.stdout

    def begin(self, *words):
        return subprocess.Popen([self.programs / "batchscope", *words], env=self.environment)

    def show(self, run):
        return json.loads(self.call("show", run, "--json"))


def kill_a_replica(store, run, steps):
    """The last of its replicas, so many steps after the first checkpoint."""
    while not (checkpoints := store.show(run)["checkpoints"]):
        time.sleep(0.05)
    while (seen := store.show(run))["run"]["step"] < checkpoints[0]["step"] + steps:
        time.sleep(0.05)
    os.kill(replicas_of(seen["run"]["supervisor"])[-1], signal.SIGKILL)


def replicas_of(supervisor):
    """The processes that have no children, below the supervisor's fork server."""
    children = {}
    for status in pathlib.Path("/proc").glob("[0-9]*/stat"):
        try:
            parent = int(status.read_text().rpartition(")")[2].split()[1])
        except OSError:
            continue
        children.setdefault(parent, []).append(int(status.parent.name))
    leaves, open_ = [], [supervisor]
    while open_:
        here = open_.pop()
        below = children.get(here, [])
        open_ += below
        if not below and here != supervisor:
            leaves.append(here)
    return sorted(leaves)


def branch(store, run, options):
    """Branches the run at each of its scripted checkpoints, as soon as it is there: the run keeps the last two.
    Prints what the lesson says in words: the noise scale measured there, and the branches' losses."""
    branched, measuring = set(), []
    while (seen := store.show(run))["run"]["state"] not in OVER:
        for checkpoint in seen["checkpoints"]:
            if checkpoint["reason"] == "trigger" and checkpoint["name"] not in branched:
                branched.add(checkpoint["name"])
                at = ["--checkpoint", checkpoint["name"]]
                store.call("branch", run, *at, "--detach", *options.split())
                measuring.append(store.begin("noise", run, *at, "--micro-batches", "1000"))
        time.sleep(0.05)
    while not all(one["over"] for one in json.loads(store.call("branch", run, "--show", "--json"))["branchings"]):
        time.sleep(0.5)
    for process in measuring:
        process.wait()
    print(store.call("branch", run, "--show"))  # which records the answers, too


def record(store, name):
    command, title = RUNS[name]
    run = store.call("run", "--detach", "--name", title, "--group", "lessons", *command.split()).split()[0]
    if name in KILLED:
        kill_a_replica(store, run, KILLED[name])
    if name in BRANCHED:
        branch(store, run, BRANCHED[name])
    while (seen := store.show(run)["run"])["state"] not in OVER:
        time.sleep(0.2)
    if seen["state"] != "finished":
        sys.exit(f"record.py: {name} {seen['state']}: {seen['message']}")
    store.call("tag", run, f"+lesson:{name}")
    branched = f"; batchscope branch {BRANCHED[name]}" if name in BRANCHED else ""
    store.call("note", run, f"Recorded for the lessons by: batchscope run {command}{branched}")
    return store.call("export", run, "--output", "-")


def rounded(series, value):
    if not isinstance(value, float) or not math.isfinite(value):
        return value
    return round(value, 4) if series == "time" else float(f"{value:.{DIGITS}g}")


def made_small(text, whole):
    lines, count = [], 0
    for line in map(json.loads, text.splitlines()):
        if "ledger" in line:
            line["ledger"] = []
            spec = line["run"]["spec"]  # nothing of the machine that recorded
            spec |= {"program": pathlib.Path(spec["program"]).name, "working_directory": "/"}
            line["latest"] = {k: v for k, v in line.get("latest", {}).items() if not k.startswith("device/")}
        elif "series" in line:
            if line["series"].startswith("device/"):
                continue
            every = 1 if line["series"] in whole else math.ceil(len(line["steps"]) / STEPS)
            kept = sorted({*range(0, len(line["steps"]), every), len(line["steps"]) - 1})
            line["steps"] = [line["steps"][i] for i in kept]
            line["values"] = [rounded(line["series"], line["values"][i]) for i in kept]
            count += len(line["steps"])
        elif "end" in line:
            line["end"]["samples"] = count
        lines.append(json.dumps(line, separators=(",", ":"), ensure_ascii=False))
    return "\n".join(lines) + "\n"


def main():
    programs, folder = (pathlib.Path(argument).resolve() for argument in sys.argv[1:3])
    for name in sys.argv[3:] or RUNS:
        with tempfile.TemporaryDirectory(prefix="bs-") as home:
            text = made_small(record(Store(programs, home), name), WHOLE.get(name, ()))
        file = folder / f"{name}.jsonl"
        file.write_text(text)
        print(f"{file} ({file.stat().st_size // 1000} kB)")


if __name__ == "__main__":
    main()
