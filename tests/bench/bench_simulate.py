#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Simulated seconds of the eight workloads published with Pollux, 160 jobs each, on 16 nodes of 4 devices.

The measurements are looked for in BATCHSCOPE_POLLUX_DIR, or ../shared/pollux beside the source tree; they have no
licence and are not part of the project. Jobs know of themselves what their own fitted model says. The goals are
the mean completion times and the worst finish-time fairness of the published Pollux, or better. simulate.time is
what the simulator takes, in real seconds, for one workload under one policy.
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

NAMES = [
    # name, policy, restart in seconds, workload (none: the mean of all), what of it, goal
    ("simulate.fast.workload6", "fast", 30, "workload-6", "mean_jct", 2300),
    ("simulate.fast.mean", "fast", 30, None, "mean_jct", 2600),
    ("simulate.fast.fairness", "fast", 30, None, "worst_fairness", None),
    ("simulate.fair.workload6", "fair", 30, "workload-6", "mean_jct", 2446),
    ("simulate.fair.mean", "fair", 30, None, "mean_jct", 2751),
    ("simulate.fair.fairness", "fair", 30, None, "worst_fairness", 2.21),
    ("simulate.pollux.mean", "pollux", 30, None, "mean_jct", None),
    ("simulate.fast.restart0.1", "fast", 0.1, None, "mean_jct", None),
    ("simulate.fair.restart0.1", "fair", 0.1, None, "mean_jct", None),
]
TIME = "simulate.time"


def source_tree():
    return pathlib.Path.cwd()  # ./dev bench runs there


def published():
    return pathlib.Path(os.environ.get("BATCHSCOPE_POLLUX_DIR", source_tree().parent / "shared" / "pollux"))


class Simulator:
    """Simulates; an answer is kept, and not computed again."""

    def __init__(self, profiles):
        self.batchscope = pathlib.Path(__file__).resolve().parent.parent / "batchscope"
        self.profiles = profiles
        self.known = {}
        self.seconds = []

    def outcome(self, workload, policy, restart):
        key = workload, policy, restart
        if key not in self.known:
            begin = time.monotonic()
            answer = subprocess.run(
                [self.batchscope, "simulate", published() / "workloads" / f"{workload}.csv", "--profiles", self.profiles,
                 "--policy", policy, "--restart", str(restart), "--json"], stdout=subprocess.PIPE, check=True)
            self.seconds.append(time.monotonic() - begin)
            self.known[key] = json.loads(answer.stdout)["policies"][0]
        return self.known[key]


def line(name, values, unit, goal):
    values = sorted(values)
    print(json.dumps({"name": name, "value": values[len(values) // 2], "unit": unit, "better": "lower", "goal": goal,
                      "runs": len(values), "min": values[0], "max": values[-1]}), flush=True)


def main():
    if sys.argv[1:] == ["--list"]:
        print("\n".join([name for name, *_ in NAMES] + [TIME]))
        return 0
    if not (published() / "workloads").is_dir():
        print(f"simulate: {published()} is not there (BATCHSCOPE_POLLUX_DIR)", file=sys.stderr)
        return 0
    workloads = sorted(file.stem for file in (published() / "workloads").glob("*.csv"))
    with tempfile.TemporaryDirectory() as folder:
        profiles = pathlib.Path(folder, "profiles")
        subprocess.run(["/usr/bin/python3", source_tree() / "tools" / "pollux_profiles.py", published() / "traces",
                        profiles], check=True)
        simulator = Simulator(profiles)
        for name, policy, restart, workload, of, goal in NAMES:
            if name not in sys.argv[1:] and sys.argv[1:]:
                continue
            values = [simulator.outcome(each, policy, restart)[of] for each in ([workload] if workload else workloads)]
            value = max(values) if of == "worst_fairness" else sum(values) / len(values)
            line(name, [value], "ratio" if of == "worst_fairness" else "s", goal)
        if TIME in sys.argv[1:] or not sys.argv[1:]:
            simulator.outcome(workloads[0], "fast", 30)
            line(TIME, simulator.seconds, "s", 2)
    return 0


if __name__ == "__main__":
    sys.exit(main())
