# SPDX-License-Identifier: Apache-2.0
"""The place of this process: which replica of which run it is, as its supervisor has put it into the environment (the
names are those of protocol/environment.h)."""

import os
import typing


class Place(typing.NamedTuple):
    socket: str  # where the supervisor listens
    meeting: str  # a folder of this generation's processes alone
    rank: int
    replicas: int
    generation: int  # restarts so far


given = None  # the place of a script that runs by itself, once it has a run (_alone.py)


def find():
    """None where no supervisor listens. Throws ValueError where a number is none."""
    if given:
        return given
    socket = os.environ.get("BATCHSCOPE_TELEMETRY_SOCKET")
    if not socket:
        return None

    def number(name, otherwise):
        text = os.environ.get(name) or str(otherwise)
        try:
            return int(text)
        except ValueError:
            raise ValueError(f"{name} is {text!r}: expected a whole number") from None

    return Place(socket, os.environ.get("BATCHSCOPE_RENDEZVOUS_DIR", ""), number("ADAPTDL_REPLICA_RANK", 0),
                 number("ADAPTDL_NUM_REPLICAS", 1), number("ADAPTDL_NUM_RESTARTS", 0))
