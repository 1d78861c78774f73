#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures the cost of charting a Python script: a step of 2 ms of plain Python, which holds the interpreter's lock throughout,
with batchscope.record and step over the same step without. A process reads as a supervisor does. Both are done in turn, in
blocks of steps; printed is the median of one block's time over the other's."""

import itertools
import json
import os
import pathlib
import socket
import statistics
import subprocess
import sys
import tempfile
import time

PROGRAMS = pathlib.Path(__file__).resolve().parents[1]
NAME, GOAL = "python.record", 1.01
STEP = 0.002  # s
STEPS, PAIRS = 100, 101

READER = """
import socket, sys
listener = socket.socket(fileno=int(sys.argv[1]))
connection = listener.accept()[0]
while connection.recv(1 << 16):
    pass
"""


def work(count):
    """Works on floats alone, which have a list of free ones: what whole numbers cost hangs on what else was allocated, by
    tenths."""
    total = 0.0
    for _ in itertools.repeat(None, count):
        total = total * 0.999 + 1.0
    return total


def work_of(seconds):
    """How much takes so long here."""
    count = 1000
    while True:
        began = time.process_time()
        work(count)
        taken = time.process_time() - began
        if taken > seconds:
            return int(count * seconds / taken)
        count *= 2


def block(count, charted):
    import batchscope
    began = time.perf_counter()
    for _ in range(STEPS):
        loss = work(count)
        if charted:
            batchscope.record(loss=loss, batch_size=32)
            batchscope.step()
    return time.perf_counter() - began


def main():
    if sys.argv[1:] == ["--list"]:
        print(NAME)
        return
    sys.path.insert(0, str(PROGRAMS / "python"))
    with tempfile.TemporaryDirectory(prefix="python-") as home, socket.socket(socket.AF_UNIX) as listener:
        listener.bind(f"{home}/socket")
        listener.listen()
        os.environ.update(BATCHSCOPE_TELEMETRY_SOCKET=f"{home}/socket", BATCHSCOPE_RENDEZVOUS_DIR=home)
        with subprocess.Popen([sys.executable, "-c", READER, str(listener.fileno())], pass_fds=[listener.fileno()]):
            count = statistics.median_low(work_of(STEP) for _ in range(9))
            block(count, True)
            ratios = [block(count, True) / block(count, False) for _ in range(PAIRS)]
            import batchscope._recorder
            batchscope._recorder.current().close()
            batchscope._recorder.current().in_child()
    print(json.dumps({"name": NAME, "value": statistics.median(ratios), "unit": "ratio", "better": "lower", "goal": GOAL,
                      "runs": PAIRS, "min": min(ratios), "max": max(ratios)}))


if __name__ == "__main__":
    main()
