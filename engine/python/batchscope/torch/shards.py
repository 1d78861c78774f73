# SPDX-License-Identifier: Apache-2.0
"""A stream of shards, such as files, that a restart need not read from the beginning."""
import json

from torch.utils.data import IterableDataset

from .. import checkpoint
from .._native import engine

_made = 0  # after a restart they are recognised by the order in which a program makes them


class Shards(IterableDataset):
    """Yields the samples of one shard after the other, by read(shard):

        dataset = adl.Shards(sorted(glob.glob("corpus/*.gz")), gzip.open, shuffle=True)

    shuffle: draw a new order of the shards in each epoch; within a shard the order is that of read. The checkpoint holds the
    lengths of the shards that were read to their end, so that a restart opens none of those before its next sample.
    """

    def __init__(self, shards, read, shuffle=False):
        """Raises ValueError if there are no shards."""
        global _made
        self.shards, self._read, self._shuffle = list(shards), read, shuffle
        if not self.shards:
            raise ValueError("Shards: there are none: is the folder or the pattern of the files right?")
        if not callable(read):
            raise TypeError(f"Shards: read is called with a shard and yields its samples, and {read!r:.60} cannot be called")
        self._epoch = 0
        self._lengths = _Lengths(f"shards-{_made}", len(self.shards))
        _made += 1

    def set_epoch(self, epoch):
        """Draws the order of an epoch from its number; the loader calls it."""
        self._epoch = epoch

    def skip(self, count):
        """Returns an iterator over the epoch's samples after the first `count`."""
        self._lengths.load_once()
        return self._behind(count)

    def __iter__(self):
        return self.skip(0)

    def _behind(self, skipped):
        order = engine.ElasticSampler(len(self.shards), 1, 0, self._shuffle)
        order.set_epoch(self._epoch, 0)
        for shard in order.indices():
            length = self._lengths.known.get(shard)
            if length is None or length > skipped:
                length = 0
                for length, sample in enumerate(self._read(self.shards[shard]), 1):
                    if length > skipped:
                        yield sample
                self._lengths.known[shard] = length
            skipped = max(0, skipped - length)


class _Lengths(checkpoint.State):
    """The number of samples of each shard that was read to its end, by the shard's number."""

    def __init__(self, name, shards):
        super().__init__(name)
        self.known, self._shards, self._is_loaded = {}, shards, False

    def load_once(self):
        if not self._is_loaded:
            self._is_loaded = True
            checkpoint.load_state(self)

    def save(self, fileobj):
        fileobj.write(json.dumps({"shards": self._shards, "lengths": list(self.known.items())}).encode())

    def load(self, fileobj):
        saved = json.load(fileobj)
        if saved["shards"] == self._shards:
            self.known = dict(saved["lengths"])
