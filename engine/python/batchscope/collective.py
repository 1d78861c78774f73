# SPDX-License-Identifier: Apache-2.0
"""Combines small values over the replicas: numbers, texts, bytes, lists, dicts, sets, tensors and arrays (as lists)."""
import collections
import copy
import operator

from ._native import engine


def allreduce(value, reduce_fn=operator.add, tag="allreduce"):
    """Returns all replicas' values, combined in the order of their ranks, on every replica. Collective."""
    if not isinstance(value, (set, frozenset)):
        return engine.all_reduce(tag, value, reduce_fn)
    # Sets travel as lists.
    kind = type(value)
    return kind(engine.all_reduce(tag, list(value), lambda left, right: list(reduce_fn(kind(left), kind(right)))))


_pending = collections.deque()  # futures in the order in which they were asked for


class Future:
    """A result to come."""

    def __init__(self, *arguments):
        self._arguments = arguments

    def result(self):
        """Returns the result, after combining all earlier requests. Collective: call it at the same place of every replica's
        program."""
        while self._arguments is not None:
            _pending.popleft()._combine()
        return self._result

    def _combine(self):
        self._result, self._arguments = allreduce(*self._arguments), None


def allreduce_async(value, reduce_fn=operator.add, tag="allreduce"):
    """Returns a future of allreduce() of the value as it is now. Values are combined when a result is asked for."""
    _pending.append(Future(copy.deepcopy(value), reduce_fn, tag))
    return _pending[-1]


def broadcast(value, tag="broadcast"):
    """Returns replica 0's value, on every replica. Collective."""
    return engine.broadcast(tag, value)


def barrier(tag="barrier"):
    """Waits for all replicas."""
    engine.barrier(tag)
