#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures the cost of charting a Python script: a step of 2 ms of plain Python, which holds the interpreter's lock throughout,
with batchscope.record and step over the same step without (python.record), or with log() of ten values, as with W&B's client
(python.log). A process reads as a supervisor does. Both are done in turn, in blocks of steps; printed is the median of one block's
time over the other's. python.log.calls is how many such calls a second one thread makes."""

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
GOALS = {"python.record": 1.01, "python.log": 1.02, "python.log.calls": 100_000}
STEP = 0.002  # s
STEPS, PAIRS = 100, 101
CALLS = 1_000  # at a time: what is sent waits in a queue of 20,000
VALUES = {f"value-{index}": float(index) for index in range(10)}

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


def record(loss):
    import batchscope
    batchscope.record(loss=loss, batch_size=32)
    batchscope.step()


def log(_):
    import batchscope
    batchscope.log(VALUES)


def block(count, chart):
    began = time.perf_counter()
    for _ in range(STEPS):
        loss = work(count)
        if chart:
            chart(loss)
    return time.perf_counter() - began


def ratios(chart):
    count = statistics.median_low(work_of(STEP) for _ in range(9))
    block(count, chart)
    return [block(count, chart) / block(count, None) for _ in range(PAIRS)]


def calls_a_second():
    began = time.perf_counter()
    for _ in range(CALLS):
        log(None)
    seconds = time.perf_counter() - began
    time.sleep(0.2)  # for the thread that sends
    return CALLS / seconds


def measure(name):
    import batchscope
    if name == "python.record":
        return ratios(record)
    if batchscope.run is None:
        batchscope.init()
    return ratios(log) if name == "python.log" else [calls_a_second() for _ in range(31)]


def main():
    if sys.argv[1:] == ["--list"]:
        print("\n".join(GOALS))
        return
    sys.path.insert(0, str(PROGRAMS / "python"))
    for name in sys.argv[1:] or GOALS:
        if len(sys.argv) != 2:  # each in a process of its own: how a script counts its steps is said once
            subprocess.run([sys.executable, __file__, name], check=True)
            continue
        with tempfile.TemporaryDirectory(prefix="python-") as home, socket.socket(socket.AF_UNIX) as listener:
            listener.bind(f"{home}/socket")
            listener.listen()
            os.environ.update(BATCHSCOPE_TELEMETRY_SOCKET=f"{home}/socket", BATCHSCOPE_RENDEZVOUS_DIR=home)
            with subprocess.Popen([sys.executable, "-c", READER, str(listener.fileno())], pass_fds=[listener.fileno()]):
                values = measure(name)
                import batchscope._recorder
                batchscope._recorder.current().close()
                batchscope._recorder.current().in_child()
        print(json.dumps({"name": name, "value": statistics.median(values), "unit": "/s" if name == "python.log.calls" else "ratio",
                          "better": "higher" if name == "python.log.calls" else "lower", "goal": GOALS[name], "runs": len(values),
                          "min": min(values), "max": max(values)}), flush=True)


if __name__ == "__main__":
    main()
