# SPDX-License-Identifier: Apache-2.0
"""Small values, combined over the replicas: numbers, texts, bytes, lists, dicts, sets, tensors and arrays (as lists)."""
import collections
import copy
import operator

from ._native import engine


def allreduce(value, reduce_fn=operator.add, tag="allreduce"):
    """All replicas' values combined in the order of their ranks, on every replica. Collective."""
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
        """Returns it, and combines what was asked for before it. Collective: at the same place in the program of every
        replica."""
        while self._arguments is not None:
            _pending.popleft()._combine()
        return self._result

    def _combine(self):
        self._result, self._arguments = allreduce(*self._arguments), None


def allreduce_async(value, reduce_fn=operator.add, tag="allreduce"):
    """allreduce() of the value as it is now, as a future. Small values are combined when somebody asks for them."""
    _pending.append(Future(copy.deepcopy(value), reduce_fn, tag))
    return _pending[-1]


def broadcast(value, tag="broadcast"):
    """Replica 0's value, on every replica. Collective."""
    return engine.broadcast(tag, value)


def barrier(tag="barrier"):
    """Waits for all replicas."""
    engine.barrier(tag)
