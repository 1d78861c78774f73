# SPDX-License-Identifier: Apache-2.0
"""Handles data without a length: the samples of a torch.utils.data.IterableDataset, numbered in the order in which it yields them."""
import collections
import itertools


def require(shuffle, kwargs):
    """Raises ValueError for arguments of AdaptiveDataLoader that a stream cannot have."""
    if shuffle:
        raise ValueError("shuffle: a stream comes in its own order: leave 'shuffle' out, and shuffle in the dataset's __iter__, in the "
                         "same way on all replicas; its set_epoch(epoch), if it has one, is called before each pass")
    if kwargs.get("num_workers", 0):
        raise ValueError("num_workers: a stream is read in order by the training process: leave 'num_workers' out, and do costly "
                         "work in collate_fn, which is called only for this replica's samples")


class Stream:
    """Makes one pass after the other over an IterableDataset. Each replica reads all samples, and keeps those of the next step."""

    def __init__(self, dataset):
        self._dataset = dataset
        self.begin(None)

    def begin(self, epoch):
        """Begins a new pass; nothing is read yet."""
        self._iterator = None
        self._first = 0  # position of the first sample that is kept
        self._samples = collections.deque()
        self._epoch = epoch

    def read(self, first, end):
        """Reads up to the position `end`, and drops the samples before `first`. Returns the position that was reached: `end`, or
        the stream's end if that comes first."""
        if self._iterator is None:
            self._iterator, self._first = self._iterate_from(first)
        for _ in range(min(first - self._first, len(self._samples))):
            self._samples.popleft()
            self._first += 1
        self._samples.extend(itertools.islice(self._iterator, end - self._first - len(self._samples)))
        return self._first + len(self._samples)

    def _iterate_from(self, first):
        dataset = self._at_epoch(self._dataset)
        if first > 0 and hasattr(dataset, "skip"):
            return iter(self._at_epoch(dataset.skip(first))), first
        iterator = iter(dataset)
        return iterator, sum(1 for _ in itertools.islice(iterator, first))

    def _at_epoch(self, dataset):
        if self._epoch is not None and hasattr(dataset, "set_epoch"):
            dataset.set_epoch(self._epoch)
        return dataset

    def __getitem__(self, position):
        return self._samples[position - self._first]
