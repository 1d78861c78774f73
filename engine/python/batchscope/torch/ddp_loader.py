# SPDX-License-Identifier: Apache-2.0
"""Provides a DataLoader with a batch size that follows goodput, under DistributedDataParallel:

    monitor = batchscope.torch.monitor(model, optimizer)
    loader = monitor.adapt(loader, max_batch_size=1024)

The sampler still chooses this replica's samples and their order. Here rank 0 chooses for all replicas how many of them a step takes, by
AdaptDL's model of step times (goodput.py), from the measured step times and the noise scale. It does not choose a size of more than
twice the largest measured one."""
import collections

import torch
from torch import distributed
from torch.utils.data import DataLoader, IterableDataset, RandomSampler, SequentialSampler

from .._native import engine
from .._recorder import whole

FIRST_LOOK = 20  # steps at a batch size before the next one is chosen
LONGEST_LOOK = 320
CLEARLY_MORE = 1.05  # times as much goodput, for which the batch size changes
_WARM_UP = 2  # steps of a new size whose times say little
_MOST_TIMES = 100  # of a size that are averaged


class AdaptedLoader:
    """The loader that Monitor.adapt() returns. It has the dataset, sampler and further arguments of the script's loader. Each pass hands out
    what the sampler yields, in batches of local_batch_size samples."""

    def __init__(self, loader, replicas, max_batch_size, local_bsz_bounds):
        _require(loader, replicas)
        self.dataset, self.sampler = loader.dataset, loader.sampler
        self._replicas, self._drop_last = replicas, loader.drop_last
        self._limits = _limits(loader.batch_size, replicas, max_batch_size, local_bsz_bounds)
        self.local_batch_size = min(loader.batch_size, self._limits[0] // replicas)  # of this replica, in the next batch
        named = {name: getattr(loader, name) for name in ("num_workers", "collate_fn", "pin_memory", "timeout", "worker_init_fn",
                                                          "multiprocessing_context", "generator", "persistent_workers")}
        if loader.num_workers:
            named["prefetch_factor"] = loader.prefetch_factor
        self._loader = DataLoader(loader.dataset, batch_sampler=_Batches(self), **named)
        self._chooser = _Chooser(replicas)

    def __iter__(self):
        return iter(self._loader)

    def __len__(self):
        """Returns the number of batches of a pass at the present batch size."""
        full, rest = divmod(len(self.sampler), self.local_batch_size)
        return full + (rest > 0 and not self._drop_last)

    def learn(self, samples, computing, seconds):
        """Takes the times of a step of so many samples over all replicas: `computing` until this replica had its gradients, `seconds` for
        the whole step."""
        self._chooser.learn(samples / self._replicas, computing, seconds)

    def is_time_to_choose(self):
        """Returns whether choose() is to be called; the same on all replicas."""
        return self._chooser.is_time()

    def choose(self, noise, initial, group, device):
        """Chooses the batch size. Collective."""
        chosen = self._chooser.chosen(self.local_batch_size, noise, initial, *self._limits) if distributed.get_rank(group) == 0 else 0
        size = torch.tensor([chosen], dtype=torch.int64, device=device)
        distributed.all_reduce(size, group=group)  # rank 0's size, as the others add 0
        self._chooser.looked(self.local_batch_size != int(size))
        self.local_batch_size = int(size)

    @property
    def times(self):
        """(replicas, local batch size, computing, seconds) of each measured size, also from earlier generations."""
        return self._chooser.rows()

    def remember(self, times):
        """Takes the times of earlier generations."""
        self._chooser.known = {(replicas, size): (computing, seconds) for replicas, size, computing, seconds in times}


class _Batches:
    """The sampler of batches. It reads the batch size when a batch is asked for: workers do so some batches ahead, on all replicas at the
    same step."""

    def __init__(self, loader):
        self._loader = loader

    def __iter__(self):
        batch = []
        for index in self._loader.sampler:
            batch.append(index)
            if len(batch) >= self._loader.local_batch_size:
                yield batch
                batch = []
        if batch and not self._loader._drop_last:
            yield batch

    def __len__(self):
        return len(self._loader)


class _Chooser:
    """Keeps step times by batch size, and chooses a size from them; rank 0's choice counts."""

    def __init__(self, replicas):
        self.known = {}  # (computing, seconds) by replicas and local batch size, of generations before
        self._replicas = replicas
        self._times = collections.defaultdict(lambda: collections.deque(maxlen=_MOST_TIMES))  # the same, by local batch size
        self._steps, self._look, self._size = 0, FIRST_LOOK, None

    def learn(self, size, computing, seconds):
        self._steps += 1
        self._size, before = size, self._size
        if size == before and size == int(size) and self._steps > _WARM_UP:
            self._times[int(size)].append((computing, seconds))

    def is_time(self):
        return self._steps >= self._look

    def looked(self, is_changed):
        self._steps = 0
        self._look = FIRST_LOOK if is_changed else min(2 * self._look, LONGEST_LOOK)

    def rows(self):
        times = dict(self.known)
        times.update(((self._replicas, size), tuple(map(_middle, zip(*measured)))) for size, measured in self._times.items()
                     if len(measured) >= FIRST_LOOK // 2)
        return [(*key, *middle) for key, middle in sorted(times.items())]

    def chosen(self, current, noise, initial, max_batch_size, minimum, maximum):
        """Returns the local batch size to go on with. noise: (sqr, var), or None where it is not known."""
        rows = self.rows()
        if not rows or noise is None:
            return current
        trusted = max(minimum, min(maximum, 2 * max(size for _, size, *_ in rows)))
        function = engine.GoodputFunction(engine.fit([(1, *row) for row in rows]), noise, round(initial))
        if self._replicas > 1:
            size = function.optimize(1, self._replicas, engine.Bounds(max_batch_size, minimum, trusted, False))[1]
        else:  # AdaptDL keeps one replica at the initial size, as it cannot measure noise; here earlier generations have measured it
            size = max(_sizes(max(minimum, round(initial)), trusted), key=lambda size: function.evaluate(1, 1, size, 0), default=0)
        is_better = size and function.evaluate(1, self._replicas, size, 0) > CLEARLY_MORE * function.evaluate(1, self._replicas, current, 0)
        return size if is_better else current


def _sizes(least, most):
    """Yields whole numbers from `least` to `most`, each a tenth larger than the one before."""
    size = least
    while size <= most:
        yield round(size)
        size *= 1.1


def _middle(times):
    return sorted(times)[len(times) // 2]


def _require(loader, replicas):
    if not isinstance(loader, DataLoader):
        raise TypeError(f"adapt(loader, max_batch_size=..): loader is not a torch.utils.data.DataLoader, but {type(loader).__name__}")
    if isinstance(loader.dataset, IterableDataset) or not all(hasattr(type(loader.dataset), name) for name in ("__len__", "__getitem__")):
        raise ValueError(f"adapt(): the samples of a {type(loader.dataset).__name__} have no index to take them by: give the "
                         "DataLoader a dataset with __len__ and __getitem__, such as a list")
    if loader.batch_size is None:
        raise ValueError("adapt(): this DataLoader makes its batches by a batch_sampler of its own, or none: make it with batch_size=.. "
                         "and a sampler")
    if replicas > 1 and isinstance(loader.sampler, (RandomSampler, SequentialSampler)):
        raise ValueError(f"adapt(): each of the {replicas} replicas would train on all of the data: make the DataLoader with "
                         "sampler=torch.utils.data.DistributedSampler(dataset)")


def _limits(size, replicas, max_batch_size, local_bsz_bounds):
    """Returns (max_batch_size, minimum, maximum), the last two for one replica."""
    max_batch_size = whole("max_batch_size", max_batch_size)
    try:
        minimum, maximum = (bound and whole("local_bsz_bounds", bound) for bound in local_bsz_bounds or (None, None))
    except (TypeError, ValueError):
        raise ValueError("adapt(): local_bsz_bounds must be (minimum, maximum), each a whole number or None, not "
                         f"{local_bsz_bounds!r:.60}") from None
    minimum, maximum = minimum or 1, maximum or max_batch_size
    if max_batch_size < size:
        raise ValueError(f"adapt(): max_batch_size {max_batch_size} is below the loader's batch_size {size}: it is for all replicas "
                         "together")
    if not minimum <= size <= maximum:
        raise ValueError(f"adapt(): the loader's batch_size {size} is not within local_bsz_bounds, {minimum} to {maximum}")
    if max_batch_size < minimum * replicas:
        raise ValueError(f"adapt(): a max_batch_size of {max_batch_size} cannot be divided among {replicas} replicas of at least {minimum} "
                         "samples each: raise it, or lower the minimum of local_bsz_bounds")
    return max_batch_size, minimum, maximum
