# SPDX-License-Identifier: Apache-2.0
"""The place of this process: its run and its rank, as the supervisor has set them in the environment (the names are those of
protocol/environment.h)."""

import os
import typing


class Place(typing.NamedTuple):
    socket: str  # where the supervisor listens
    meeting: str  # a folder for the processes of this generation only
    rank: int
    replicas: int
    generation: int  # restarts so far


given = None  # the place of a script without a supervisor, once it has a run (_alone.py)


def find():
    """Returns the place; None if no supervisor listens. Throws ValueError for a variable that is not a number."""
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
