# SPDX-License-Identifier: Apache-2.0
import collections
import collections.abc
import contextlib
import pickle

import adaptdl.checkpoint
from adaptdl.torch.epoch import current_epoch


class Results(adaptdl.checkpoint.State):
    number = 0

    def __init__(self):
        super().__init__(f"accumulator-{Results.number}")
        Results.number += 1
        self.results_history, self.results = collections.defaultdict(list), collections.defaultdict(float)
        adaptdl.checkpoint.load_state(self)

    def save(self, fileobj):
        pickle.dump((self.results_history, self.results), fileobj)

    def load(self, fileobj):
        self.results_history, self.results = pickle.load(fileobj)


class Accumulator(collections.abc.MutableMapping):
    def __init__(self):
        self._sync_count, self._synchronized, self._state = collections.Counter(), None, Results()

    @contextlib.contextmanager
    def synchronized(self):
        epoch = current_epoch()
        history, count = self._state.results_history[epoch], self._sync_count[epoch]
        self._sync_count[epoch] += 1
        if count == len(history):
            history.append(dict(self._state.results))
        self._synchronized = history[count]
        try:
            yield self
        finally:
            self._synchronized = None
            self._state.results.clear()

    def _values(self):
        return self._state.results if self._synchronized is None else self._synchronized

    def __getitem__(self, name):
        return self._values()[name]

    def __setitem__(self, name, value):
        self._values()[name] = value

    def __delitem__(self, name):
        del self._values()[name]

    def __iter__(self):
        return iter(self._values())

    def __len__(self):
        return len(self._values())
