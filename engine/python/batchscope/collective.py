# SPDX-License-Identifier: Apache-2.0
"""Small values, combined over the replicas: numbers, texts, bytes, lists, dicts, sets, tensors and arrays (as lists)."""
import operator

from ._native import engine


def allreduce(value, reduce_fn=operator.add, tag="allreduce"):
    """All replicas' values combined in the order of their ranks, on every replica. Collective."""
    if not isinstance(value, (set, frozenset)):
        return engine.all_reduce(tag, value, reduce_fn)
    # Sets travel as lists.
    kind = type(value)
    return kind(engine.all_reduce(tag, list(value), lambda left, right: list(reduce_fn(kind(left), kind(right)))))


def broadcast(value, tag="broadcast"):
    """Replica 0's value, on every replica. Collective."""
    return engine.broadcast(tag, value)


def barrier(tag="barrier"):
    """Waits for all replicas."""
    engine.barrier(tag)
