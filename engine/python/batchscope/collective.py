# SPDX-License-Identifier: Apache-2.0
"""Small values, combined over the replicas: numbers, texts, bytes, lists, dicts, tensors and arrays (as lists)."""
import operator

from ._native import engine


def allreduce(value, reduce_fn=operator.add, tag="allreduce"):
    """All replicas' values combined in the order of their ranks, on every replica. Collective."""
    return engine.all_reduce(tag, value, reduce_fn)


def broadcast(value, tag="broadcast"):
    """Replica 0's value, on every replica. Collective."""
    return engine.broadcast(tag, value)


def barrier(tag="barrier"):
    """Waits for all replicas."""
    engine.barrier(tag)
