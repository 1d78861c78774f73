#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The prediction by `batchscope simulate --profiles runs:GROUP` of a queue that the pool has trained, over what came: the mean
completion time of six runs of the digits example, of different lengths, on two cores of this machine (`here`), and on three
nodes of an emulated Slurm cluster with a core each (`slurm`, where there is Slurm). 1 is exact. A run's completion time
counts from its submission, in both. The seconds themselves are printed beside them."""

import contextlib
import json
import os
import pathlib
import sys
import tempfile
import time

import cluster
from own_store import Store

EPOCHS = [24, 8, 40, 4, 16, 12]  # in the order in which they are submitted
CORES = 2
NODES = 3
GROUP = "queue"
HERE, SLURM = "here", "slurm"
QUEUES = [(HERE, "fair"), (HERE, "fast"), (SLURM, "fair")]
GOAL = 0.15  # by which the prediction may miss


def named(place, policy, what="mean"):
    return f"pool.predicted.{place}.{policy}.{what}"


def names():
    for queue in QUEUES:
        yield from (named(*queue, what) for what in ("mean", "error", "seconds"))


@contextlib.contextmanager
def three_nodes(home):
    """An emulated cluster whose nodes have a core each, as far as this machine has them."""
    with cluster.Cluster(pathlib.Path(home) / "cluster", nodes=NODES) as nodes:
        cores = sorted(os.sched_getaffinity(0))
        for place, node in enumerate(nodes.nodes):
            for process in nodes.processes(node):
                os.sched_setaffinity(process, {cores[place % CORES]})
        yield nodes.environment()


def train(home, place, policy):
    """The store with the queue's runs, all finished, and their mean completion time."""
    with contextlib.ExitStack() as stack:
        store = Store(home)
        if place == SLURM:
            store.environment.update(stack.enter_context(three_nodes(home)), BATCHSCOPE_IDLE_NODES="5", TMPDIR=home)
            store.do("pool", "--slurm=main", "--nodes", str(NODES), "--policy", policy)
        else:
            store.do("pool", "--policy", policy)
        for epochs in EPOCHS:
            store.do("submit", "digits", "--device", "cpu", "--group", GROUP, "--name", f"of {epochs}", "--", "--epochs", str(epochs))
        while any(job["state"] not in ("succeeded", "failed", "cancelled") for job in store.ask("queue", "--all")["queue"]):
            time.sleep(0.5)
        runs = store.ask("ls")["runs"]
        if not all(run["state"] == "finished" for run in runs):
            sys.exit(f"{place}, {policy}: not all runs finished: {[run['message'] for run in runs]}")
        return store, sum(run["ended"] - run["created"] for run in runs) / len(runs)


def predict(store, place, policy):
    nodes, cores = (NODES, 1) if place == SLURM else (1, CORES)
    told = store.ask("simulate", "--profiles", f"runs:{GROUP}", "--nodes", str(nodes), "--gpus", str(cores), "--policy", policy)
    return told["policies"][0]["mean_jct"]


def main():
    if sys.argv[1:] == ["--list"]:
        print("\n".join(names()))
        return
    os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:CORES])  # and of all that is started

    def row(name, value, unit, goal=None):
        print(json.dumps({"name": name, "value": value, "unit": unit, "better": "lower", "goal": goal, "runs": 1,
                          "min": value, "max": value}), flush=True)

    asked = sys.argv[1:] or list(names())
    for place, policy in QUEUES:
        if not any(name.startswith(named(place, policy, "")) for name in asked):
            continue
        if place == SLURM and cluster.missing():
            print(f"{named(place, policy)}: there is no {cluster.missing()}: apt install slurm-wlm", file=sys.stderr)
            continue
        with tempfile.TemporaryDirectory(prefix="pool-", ignore_cleanup_errors=True) as home:
            store, came = train(home, place, policy)
            ratio = predict(store, place, policy) / came
        row(named(place, policy), ratio, "ratio")
        row(named(place, policy, "error"), abs(ratio - 1), "ratio", GOAL)
        row(named(place, policy, "seconds"), came, "s")


if __name__ == "__main__":
    main()
