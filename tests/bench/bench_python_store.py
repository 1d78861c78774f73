#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Measures reading a series of ten million samples from a run's file by the Python package: seconds of run.series() into numpy
arrays, and with its to_pandas() into a table. `consecutive` has every step, `sparse` every tenth."""

import json
import os
import pathlib
import statistics
import struct
import sqlite3
import subprocess
import sys
import tempfile
import time
import zlib

PROGRAMS = pathlib.Path(__file__).resolve().parents[1]
NAMES = ["python.series.consecutive", "python.series.sparse", "python.series.pandas"]
GOAL = 1.0  # s
SAMPLES, CHUNK, RUNS = 10_000_000, 1024, 7


def varint(number):
    encoded = bytearray()
    while number > 0x7F:
        encoded.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes([*encoded, number])


def fill(file, series, stride):
    """Adds a series in full chunks, as storage/FORMAT.md has them, and one that is not."""
    import numpy
    values = numpy.random.default_rng(1).random(SAMPLES)
    with sqlite3.connect(file) as connection:
        track = connection.execute("INSERT INTO track (series, generation, count) VALUES (?, 0, ?)", (series, SAMPLES)).lastrowid
        for number, begin in enumerate(range(0, SAMPLES, CHUNK)):
            part = values[begin : begin + CHUNK]
            first, last, data = 1 + begin * stride, 1 + (begin + len(part) - 1) * stride, part.astype("<f8").tobytes()
            steps = b"" if stride == 1 else b"\0\1" + (varint(stride) + b"\1") * (len(part) - 1)
            summary = (float(part.min()), float(part.max()), float(part.mean()))
            data_checksum = zlib.crc32(data, zlib.crc32(steps))
            checksum = zlib.crc32(struct.pack("<4q3dI", track, first, last, len(part), *summary, data_checksum))
            connection.execute("INSERT INTO chunk VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                               (track, number, first, last, len(part), *summary, checksum, data_checksum, steps, data))
    connection.close()


def main():
    if sys.argv[1:] == ["--list"]:
        print("\n".join(NAMES))
        return
    sys.path.insert(0, str(PROGRAMS / "python"))
    import batchscope
    with tempfile.TemporaryDirectory(prefix="python-store-") as home:
        os.environ.update(BATCHSCOPE_DB=f"{home}/runs.db", XDG_STATE_HOME=home)
        table = pathlib.Path(home, "table.csv")
        table.write_text("step,lr\n1,1\n")
        subprocess.run([PROGRAMS / "batchscope", "import", table], check=True, stdout=subprocess.DEVNULL)
        run, = batchscope.runs()
        fill(run.folder / "samples.db", "consecutive", 1)
        fill(run.folder / "samples.db", "sparse", 10)
        measures = {"python.series.consecutive": lambda: run.series("consecutive").values,
                    "python.series.sparse": lambda: run.series("sparse").values,
                    "python.series.pandas": lambda: run.series("consecutive").to_pandas()}
        for name in sys.argv[1:] or NAMES:
            seconds = []
            for _ in range(RUNS):
                began = time.perf_counter()
                read = measures[name]()
                seconds.append(time.perf_counter() - began)
                assert len(read) == SAMPLES
            print(json.dumps({"name": name, "value": statistics.median(seconds), "unit": "s", "better": "lower", "goal": GOAL,
                              "runs": RUNS, "min": min(seconds), "max": max(seconds)}), flush=True)


if __name__ == "__main__":
    main()
