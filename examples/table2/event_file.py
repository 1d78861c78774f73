# SPDX-License-Identifier: Apache-2.0
"""Scalars out of TensorBoard's event files: TFRecords (a length of 8 bytes, its checksum of 4, the data, its checksum of
4) that each hold a protocol buffer tensorflow.Event (2: step, 5: summary, of which 1: value, of which 1: tag and 2: a
float)."""

import collections
import struct


def fields(data):
    """(number, value) of each field of a protocol buffer."""
    at = 0

    def varint():
        nonlocal at
        value = shift = 0
        while True:
            byte = data[at]
            at += 1
            value |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return value

    while at < len(data):
        key = varint()
        kind = key & 7
        if kind == 0:
            yield key >> 3, varint()
            continue
        size = {1: 8, 5: 4}.get(kind) or varint()
        yield key >> 3, data[at:at + size]
        at += size


def scalars(folder):
    """tag -> [(step, value)] of all event files in a folder, in the order of their names."""
    series = collections.defaultdict(list)
    for file in sorted(folder.glob("events.out.tfevents.*")):
        data = file.read_bytes()
        at = 0
        while at + 12 <= len(data):
            size, = struct.unpack_from("<Q", data, at)
            event = dict(fields(data[at + 12:at + 12 + size]))
            at += size + 16
            if 5 not in event:
                continue
            for number, value in fields(event[5]):
                entry = dict(fields(value)) if number == 1 else {}
                if 1 in entry and 2 in entry:
                    series[entry[1].decode()].append((event.get(2, 0), struct.unpack("<f", entry[2])[0]))
    return series
