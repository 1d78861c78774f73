#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Two hundred rescales in a row, between one replica and two: they leave nothing behind. What a pause finds after the
first few (descriptors, threads, processes, files, memory) is what a pause finds after all of them.

  rescale_storm.py BIN [--seed N] [--minutes N]

With --minutes storm follows storm, each with the next seed, until the time is over.
"""

import collections
import json
import pathlib
import random
import sys
import tempfile
import time

from run_scenario import Failure, Scenario, patiently
from soak import over_seeds

RESCALES = 200
FIRST = 20  # warm the allocators, and fill what is filled once
STEPS = range(2, 5)  # between two
GROWTH = 16 << 20  # bytes that the supervisor may grow by: it knows the whole run


def triggers(seed):
    """(step, what happens then)"""
    random_, step = random.Random(seed), 0
    for number in range(1, RESCALES + 1):
        step += random_.choice(STEPS)
        yield step, f"replicas={1 + number % 2}"
        if number in (FIRST, RESCALES):
            yield step + 1, "pause"


def children(pid):
    return sorted(int(child) for child in pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text().split())


def usage(scenario, supervisor):
    """Counts processes and descriptors of each kind while the run is paused."""
    counts = collections.Counter(processes=len(children(supervisor)))
    for pid in [supervisor, *children(supervisor)]:
        name = pathlib.Path(f"/proc/{pid}/comm").read_text().strip()
        for what in ("fd", "task"):
            counts[f"{name}: {what}"] += len(list(pathlib.Path(f"/proc/{pid}/{what}").iterdir()))
    for folder in ("batchscope", "memory"):
        counts[f"files in {folder}"] = len(list((scenario.home / folder).rglob("*")))
    return counts


def settled_usage(scenario, supervisor):
    """When the fork server has made its spares."""
    while True:
        before = usage(scenario, supervisor)
        time.sleep(1)
        if usage(scenario, supervisor) == before:
            return before


def checkpoints(scenario):
    return list((scenario.home / "runs" / scenario.show()["run"]["id"] / "checkpoints").iterdir())


def memory(pid):
    status = pathlib.Path(f"/proc/{pid}/status").read_text().split()
    return int(status[status.index("VmRSS:") + 1]) * 1024


def storm(programs, seed):
    print(f"seed {seed}", flush=True)
    events = list(triggers(seed))
    with tempfile.TemporaryDirectory(prefix="storm-") as home:
        scenario = Scenario(programs, home)
        at = " ".join(f"--at step={step}:{what}" for step, what in events)
        try:
            scenario.do(f"batchscope run digits --replicas 1 --detach {at} -- --no-autoscale --epochs 100")
            scenario.wait('state == "paused"')
            supervisor = scenario.show()["run"]["supervisor"]
            before, memory_before = settled_usage(scenario, supervisor), memory(supervisor)
            scenario.do("batchscope resume latest --detach")
            scenario.wait(f'state == "paused" and step >= {events[-1][0]}')
            patiently(f"the usage of {before}", lambda: usage(scenario, supervisor) == before)
            # The last two, and those before them that were in memory when they were tidied up: few, where the disk is slow.
            if not 2 <= len(checkpoints(scenario)) <= 8:
                raise Failure(f"there are other checkpoints than the last: {checkpoints(scenario)}")
            if memory(supervisor) - memory_before > GROWTH:
                raise Failure(f"the supervisor grew from {memory_before >> 10} to {memory(supervisor) >> 10} KiB")
            scenario.check(f"len(generations) == {RESCALES + 2}")  # the first, and one that was resumed
            scenario.check(f'sum(event["text"].endswith(", forked") for event in events) == {RESCALES + 2}')
            scenario.do("batchscope stop latest")
            scenario.wait('state == "stopped"')
        except Failure:
            print(json.dumps(usage(scenario, supervisor), indent=1), file=sys.stderr)
            raise
        finally:
            scenario.clean_up()


if __name__ == "__main__":
    over_seeds(__doc__, "another one, other steps between the rescales", "storm after storm for so long", storm)
