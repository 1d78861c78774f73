#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A training program that knows AdaptDL's protocol and nothing of ours, with the standard library alone.

It does to the outside what a script on AdaptDL does: asks the supervisor where rank 0 is until it does not answer
408, meets the others on the master port, agrees at every step on whether anybody was asked to leave, reports sched
hints, and on SIGTERM writes a checkpoint and exits 143. It adds up the numbers 0, 1, 2 ... of its "samples", so that
a sample lost or used twice shows in the sum.
"""

import argparse
import json
import os
import pathlib
import signal
import socket
import sys
import time
import urllib.error
import urllib.request

RANK = int(os.environ["ADAPTDL_REPLICA_RANK"])
REPLICAS = int(os.environ["ADAPTDL_NUM_REPLICAS"])
RESTARTS = int(os.environ["ADAPTDL_NUM_RESTARTS"])
URL = os.environ["ADAPTDL_SUPERVISOR_URL"]
JOB = os.environ["ADAPTDL_JOB_ID"]
CHECKPOINT = pathlib.Path(os.environ["ADAPTDL_CHECKPOINT_PATH"]) / "sum.json"

PERF_PARAMS = {"alpha_c": 0.01, "beta_c": 0.001, "alpha_n": 0.02, "beta_n": 0.002, "alpha_r": 0.005, "beta_r": 0.001,
               "gamma": 1.5}


def discover():
    """The address of rank 0."""
    while True:
        try:
            with urllib.request.urlopen(f"{URL}/discover/default/{JOB}/{RESTARTS}") as reply:
                return json.load(reply)[0]
        except urllib.error.HTTPError as error:
            if error.code != 408:
                raise


def put_hints(hints):
    request = urllib.request.Request(f"{URL}/hints/default/{JOB}", json.dumps(hints).encode(), method="PUT",
                                     headers={"Content-Type": "application/json"})
    with urllib.request.urlopen(request) as reply:
        assert reply.status == 200


class Meeting:
    """Every replica's line to rank 0."""

    def __init__(self, address, port):
        if RANK == 0:
            listener = socket.socket()
            listener.bind(("0.0.0.0", port))  # AdaptDL's reducer does, and sets no SO_REUSEADDR
            listener.listen(REPLICAS)
            self.lines = [listener.accept()[0].makefile("rwb") for _ in range(REPLICAS - 1)]
        else:
            self.lines = [self.connect(address, port).makefile("rwb")]

    @staticmethod
    def connect(address, port):
        while True:
            try:
                return socket.create_connection((address, port))
            except ConnectionRefusedError:
                time.sleep(0.02)

    def any(self, flag):
        """Whether anybody's flag is set, the same answer for all."""
        if RANK == 0:
            for line in self.lines:
                flag = line.read(1) == b"1" or flag
        for line in self.lines:
            line.write(b"1" if flag else b"0")
            line.flush()
        return flag if RANK == 0 else self.lines[0].read(1) == b"1"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--generations", type=int, default=1, help="finish in the last of these")
    parser.add_argument("--steps", type=int, default=20, help="of each generation, at least")
    options = parser.parse_args()

    asked = []
    signal.signal(signal.SIGTERM, lambda *_: asked.append(True))
    assert os.environ["ADAPTDL_SCHED_VERSION"] and os.environ["ADAPTDL_NUM_NODES"] == "1"
    with urllib.request.urlopen(f"{URL}/healthz") as reply:
        assert reply.status == 200
    meeting = Meeting(discover(), int(os.environ["ADAPTDL_MASTER_PORT"]))

    state = json.loads(CHECKPOINT.read_text()) if CHECKPOINT.exists() else {"step": 0, "next": 0, "sum": 0}
    print(f"rank {RANK} of {REPLICAS} begins at step {state['step']}", flush=True)
    last = RESTARTS + 1 == options.generations
    for done in range(1 << 30):
        if last and done == options.steps:
            break
        if meeting.any(bool(asked)):
            if RANK == 0:
                CHECKPOINT.with_suffix(".new").write_text(json.dumps(state))
                CHECKPOINT.with_suffix(".new").rename(CHECKPOINT)
            sys.exit(143)
        time.sleep(0.01)
        state = {"step": state["step"] + 1, "next": state["next"] + REPLICAS,
                 "sum": state["sum"] + sum(range(state["next"], state["next"] + REPLICAS))}
        if RANK == 0 and done % options.steps == options.steps // 2:
            put_hints({"initBatchSize": 32, "localBszBounds": [16, 128], "globalBatchSize": None, "maxBatchSize": 1024,
                       "maxProfiledReplicas": REPLICAS, "gradientAccumulation": False,
                       "gradParams": {"norm": 0.5, "var": 2.0}, "perfParams": PERF_PARAMS})
    if RANK == 0:
        assert state["sum"] == sum(range(state["next"])), state
        pathlib.Path(os.environ["ADAPTDL_SHARE_PATH"], "result.json").write_text(json.dumps(state))
        pathlib.Path(os.environ["ADAPTDL_TENSORBOARD_LOGDIR"], "events.out.tfevents.test").write_bytes(b"")
    print(f"finished at step {state['step']}", flush=True)


if __name__ == "__main__":
    main()
