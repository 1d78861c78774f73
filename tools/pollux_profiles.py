#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes profiles for `batchscope simulate` from the measurements published with Pollux (OSDI 2021).

    tools/pollux_profiles.py TRACES OUTPUT

Copies the folder of traces, which has a folder for each application, and adds what the published simulator has only in
its code: limits.csv, and between.csv, the step times of placements that were not measured. Between the measured points
(num_nodes, num_replicas, local_bsz) that simulator interpolates in the Delaunay triangulation of Qhull and SciPy. Points
on a grid have many triangulations, and this one even overlaps itself. Only SciPy, asked for one point at a time as in
that simulator, gives the same seconds. For each number of nodes and replicas it is asked for every local batch size;
sizes on a line between others are left out of the file.
limits.csv has a name and a value in each line: max_local_bsz, max_replicas, batch_size (if it is fixed) and
epoch_rounding: an epoch ends at a whole multiple of so many seconds (default: 1, as in that simulator; 0: no rounding).
Needs Debian's python3-scipy. The measurements have no licence: do not publish OUTPUT.
"""
import argparse
import collections
import csv
import pathlib
import shutil
import sys

# Limits in the published simulator's code (applications.py and simulator.py).
LIMITS = {
    "yolov3": {"max_local_bsz": 8},
    "ncf": {"max_replicas": 1, "batch_size": 32768},
}
CONFIGURATION = ("num_nodes", "num_replicas", "local_bsz")
TIMES = ("step_time", "sync_time")
MEASURED_NODES = 4  # up to which every placement was measured
NODES = 16  # of the published cluster
DEVICES = 4  # on each


def rows(path):
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def points(folder):
    """Yields (configuration, times) of every point, in the order of the published simulator."""
    measured = collections.defaultdict(list)
    for row in rows(folder / "placements.csv"):
        nodes = [int(digit) for digit in row["placement"]]
        measured[len(nodes), sum(nodes), int(row["local_bsz"])].append([float(row[name]) for name in TIMES])
    for configuration in sorted(measured):
        times = measured[configuration]
        yield configuration, [sum(column) / len(times) for column in zip(*times)]
    for row in rows(folder / "scalability.csv"):
        yield tuple(int(row[name]) for name in CONFIGURATION), [float(row[name]) for name in TIMES]


def between(known):
    """Yields the rows of between.csv: the corners of the interpolated step times along the local batch size."""
    from scipy.interpolate import LinearNDInterpolator

    sizes = [size for (_, _, size), _ in known]
    interpolated = LinearNDInterpolator([where for where, _ in known], [times for _, times in known])
    for nodes in range(MEASURED_NODES + 1, NODES + 1):
        for replicas in range(nodes, nodes * DEVICES + 1):
            line = []
            for size in range(min(sizes), max(sizes) + 1):
                times = interpolated([float(nodes), float(replicas), float(size)])[0].tolist()
                if times[0] == times[0]:  # not NaN, as it is outside of the triangulation
                    line.append((size, *times))
            for i, (size, *times) in enumerate(line):
                if not 0 < i < len(line) - 1 or not on_line(line[i - 1], line[i], line[i + 1]):
                    yield nodes, replicas, size, *times


def on_line(before, here, after):
    share = (here[0] - before[0]) / (after[0] - before[0])
    return all(abs(b + share * (a - b) - h) <= 1e-12 * abs(h) for b, h, a in zip(before[1:], here[1:], after[1:]))


def write(path, header, lines):
    with open(path, "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(header)
        writer.writerows(lines)


def convert(folder, output):
    shutil.copytree(folder, output)
    limits = LIMITS.get(folder.name, {})
    if limits:
        write(output / "limits.csv", ("name", "value"), limits.items())
    if limits.get("max_replicas") != 1:
        write(output / "between.csv", CONFIGURATION + TIMES, between(list(points(folder))))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("traces", type=pathlib.Path, help="the published folder of traces")
    parser.add_argument("output", type=pathlib.Path, help="a new folder")
    options = parser.parse_args()
    folders = sorted(path.parent for path in options.traces.glob("*/placements.csv"))
    if not folders:
        sys.exit(f"{options.traces}: no folder in it has a placements.csv")
    if options.output.exists():
        sys.exit(f"{options.output} exists already; name a new folder")
    try:
        import scipy.interpolate  # noqa: F401
    except ImportError:
        sys.exit("SciPy is missing: apt-get install python3-scipy, and run this with /usr/bin/python3")
    for folder in folders:
        convert(folder, options.output / folder.name)
    return 0


if __name__ == "__main__":
    sys.exit(main())
