# SPDX-License-Identifier: Apache-2.0
"""Adds up values over all samples of a loop, on all replicas, across restarts."""
import collections.abc
import contextlib

from .. import collective
from .._native import engine
from . import recorder


def _add(sums, more):
    for key, value in more.items():
        sums[key] = _sum(sums[key], value) if key in sums else value
    return sums


def _sum(left, right):
    """Adds lists entry by entry; tensors and arrays travel between replicas as lists."""
    if isinstance(left, list) or isinstance(right, list):
        left = left if isinstance(left, list) else left.tolist()
        right = right if isinstance(right, list) else right.tolist()
        return [_sum(a, b) for a, b in zip(left, right)]
    return left + right


class Accumulator(collections.abc.MutableMapping):
    """Named sums:

        sums = Accumulator()
        for data, target in validation:
            sums["loss"] += ...
        with sums.synchronized():
            print(sums["loss"])

    Outside of synchronized() only `sums[key] += value`, `-=`, update and subtract work, on this replica's share. Inside, it
    is a dict of the sums over all replicas, which may be changed in the same way on each. After a restart, the code before
    the continued loop runs again: it sees the same values as before, and changes nothing.
    """

    def __init__(self, *args, **kwargs):
        self._own = dict(*args, **kwargs) if engine.replica_rank() == 0 else {}
        self._replayed, self._total = {}, None
        self._history = engine.AccumulatorHistory(lambda: self._own, self._restore)

    def _restore(self, by_rank):
        self._own = {}
        if len(by_rank) == engine.num_replicas():
            self._own = by_rank[engine.replica_rank()]
        elif engine.replica_rank() == 0:
            for sums in by_rank:
                _add(self._own, sums)

    @contextlib.contextmanager
    def synchronized(self):
        """Opens the scope in which the accumulator holds the sums over all replicas. Collective."""
        if self._total is not None:
            yield self
            return
        replayed = self._history.replays_result
        if replayed:
            self._total = self._history.result()
        else:
            self._total = collective.allreduce(self._own, _add, "accumulator")
        self._history.pass_result(self._total)
        try:
            yield self
            if not replayed and (told := recorder.current()):
                told.result(self._total)
        finally:
            if not replayed:
                self._own = self._total if engine.replica_rank() == 0 else {}
            self._total = None

    def update(self, *args, **kwargs):
        """Adds each value."""
        for key, value in dict(*args, **kwargs).items():
            self[key] += value

    def subtract(self, *args, **kwargs):
        """Subtracts each value."""
        for key, value in dict(*args, **kwargs).items():
            self[key] -= value

    def __iadd__(self, other):
        self.update(other)
        return self

    def __isub__(self, other):
        self.subtract(other)
        return self

    def clear(self):
        """Removes all sums."""
        if self._total is not None:
            self._total.clear()
        elif not self._history.pass_clear():
            self._own.clear()

    def _share(self):
        return self._replayed if self._history.replaying else self._own

    def __getitem__(self, key):
        if self._total is not None:
            return self._total[key]
        return _Change(key)

    def __setitem__(self, key, value):
        if self._total is not None:
            self._total[key] = value
        elif isinstance(value, _Change) and value.key == key:
            _add(self._share(), {key: value.value})
        else:
            raise TypeError(f"only += and -= change '{key}' outside of synchronized()")

    def _readable(self):
        return {} if self._total is None else self._total

    # Outside of synchronized() sums can be added to, but not read.
    def __contains__(self, key):
        return key in self._readable()

    def __delitem__(self, key):
        del self._readable()[key]

    def __iter__(self):
        return iter(self._readable())

    def __len__(self):
        return len(self._readable())

    def __repr__(self):
        return repr(self._readable())


class _Change:
    """The value of `sums[key]` outside of synchronized(): collects what is added, and hands it to __setitem__."""

    def __init__(self, key):
        self.key, self.value = key, 0

    def __add__(self, value):
        self.value = self.value + value
        return self

    def __sub__(self, value):
        self.value = self.value - value
        return self

    def _refuse(self, *_):
        raise TypeError(f"sums['{self.key}'] is read within `with sums.synchronized():`; outside only += and -= change it")

    __float__ = __int__ = __bool__ = __format__ = __str__ = _refuse
    __mul__ = __truediv__ = __rtruediv__ = __lt__ = __le__ = __gt__ = __ge__ = _refuse
