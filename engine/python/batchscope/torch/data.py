# SPDX-License-Identifier: Apache-2.0
"""Loaders whose batch size follows goodput, resumable at any sample on any number of replicas."""
import collections
import math
import random

import torch
from torch.utils.data import DataLoader, Sampler

from .._native import engine
from . import tensorboard
from .epoch import current_epoch

_current = None  # the loader whose loop is running
_made = collections.Counter()  # loaders by epoch: they are known again by the order in which a program makes them


def current_dataloader():
    """The loader whose loop is running; None between loops."""
    return _current


class ElasticSampler(Sampler):
    """The order in which replicas share a dataset: the same permutation on each, drawn from the epoch and the pass."""

    def __init__(self, dataset, shuffle=True):
        self.dataset, self.shuffle = dataset, shuffle
        self.set_epoch(0)

    def set_epoch(self, epoch, index=0):
        """From here on it gives what is left of the epoch behind `index` samples of all replicas."""
        self.epoch, self.index = epoch, index

    def _share(self):
        share = engine.ElasticSampler(len(self.dataset), engine.num_replicas(), engine.replica_rank(), self.shuffle)
        share.set_epoch(self.epoch, self.index)
        return share

    def __iter__(self):
        return iter(self._share().indices())

    def __len__(self):
        return self._share().length()


class AdaptiveDataLoader:
    """A torch.utils.data.DataLoader whose batch_size is the total over all replicas, and may be adapted.

    `kwargs` are DataLoader's (num_workers, collate_fn, pin_memory, drop_last, worker_init_fn ..), but for sampler and
    batch_sampler: the order is the ElasticSampler's. A training loader is looped over inside remaining_epochs_until,
    and one loop runs at a time. training: None means that a loop under torch.no_grad() validates (no padding, no
    adaptation) and any other trains.
    """

    def __init__(self, dataset, batch_size=1, shuffle=False, *, training=None, **kwargs):
        if kwargs.get("sampler") is not None or kwargs.get("batch_sampler") is not None:
            raise ValueError("AdaptiveDataLoader has its own order: leave 'sampler' and 'batch_sampler' out")
        if _current is not None:
            raise RuntimeError("a loader is made inside a loop over data: make it before the loop")
        self.dataset, self.batch_size, self.shuffle = dataset, batch_size, shuffle
        self.drop_last = kwargs.pop("drop_last", False)
        self.training = training
        self._limits = self._choice = None
        self._engine_loader = None  # the script may make its loaders before init_process_group
        epoch = current_epoch()
        place = "" if epoch is None else f"epoch{epoch}-"
        self._name = f"python-{place}{_made[epoch]}"
        _made[epoch] += 1

        self._batches = _PassBatches()
        kwargs["worker_init_fn"] = _SeededWorker(kwargs.get("worker_init_fn"), kwargs.get("num_workers", 0))
        self._loader = DataLoader(dataset, batch_sampler=self._batches, **kwargs)

    def autoscale_batch_size(self, max_batch_size, local_bsz_bounds=None, gradient_accumulation=False):
        """Lets goodput choose the batch size, at most max_batch_size in total and within the bounds of a replica's."""
        if not isinstance(max_batch_size, int) or max_batch_size < self.batch_size:
            raise ValueError(f"max_batch_size {max_batch_size} is below the batch size {self.batch_size}")
        minimum, maximum = local_bsz_bounds or (None, None)
        self._limits = {"max_batch_size": max_batch_size, "minimum": minimum or 1, "maximum": maximum or 0,
                        "accumulation": gradient_accumulation}
        self._choose(lambda loader: loader.autoscale_batch_size(**self._limits))

    def scale_by_replicas(self, micro_batches=1, until_progress=True):
        """Lets the batch size follow the replicas instead: each takes so many micro-batches of batch_size samples a step,
        as in AdaScale's paper. until_progress: an epoch ends by statistical progress, else after one pass."""
        self._limits = None
        self._choose(lambda loader: loader.scale_by_replicas(micro_batches, until_progress))

    def _choose(self, choice):
        self.training, self._choice = True, choice
        if self._engine_loader is not None:
            choice(self._engine_loader)

    @property
    def _elastic(self):
        if self._engine_loader is None:
            training = torch.is_grad_enabled() if self.training is None else self.training
            self._engine_loader = engine.Loader(len(self.dataset), self.batch_size, self.shuffle, self.drop_last, training,
                                                 self._name)
            if self._choice:
                self._choice(self._engine_loader)
        return self._engine_loader

    @property
    def current_batch_size(self):
        """Samples a step, over all replicas; None outside of its loop."""
        return self._elastic.batch_size if _current is self else None

    @property
    def current_local_bsz(self):
        """Samples of a micro-batch on one replica; None outside of its loop."""
        return self._elastic.local_batch_size if _current is self else None

    @property
    def accumulation_steps(self):
        """Micro-batches a step beyond the first."""
        return self._elastic.accumulation_steps

    @property
    def max_batch_size(self):
        """As it was given to autoscale_batch_size; None without."""
        return self._limits and self._limits["max_batch_size"]

    @property
    def local_bsz_bounds(self):
        """(minimum, maximum) of a replica's micro-batch; None without autoscale_batch_size."""
        return self._limits and (self._limits["minimum"], self._limits["maximum"] or None)

    def __len__(self):
        """Batches of one pass, on this replica, at the batch size of now."""
        local = self._elastic.local_batch_size if self._engine_loader else math.ceil(self.batch_size / engine.num_replicas())
        share = math.ceil(len(self.dataset) / engine.num_replicas())
        return share // local if self.drop_last else math.ceil(share / local)

    def __iter__(self):
        """One loop over the data: a pass, or with an adapted batch size as many as make the progress of one.

        Between two batches replicas may agree to checkpoint or to leave. A loop that is left by `break` is finished.
        """
        return _Loop(self)

    def to_tensorboard(self, writer, global_step, tag_prefix=""):
        """Writes the batch size into a SummaryWriter."""
        tensorboard.write(writer, global_step, tag_prefix, {
            "Total_Batch_Size": self.current_batch_size, "Local_Batch_Size": self.current_local_bsz,
            "Accumulation_Steps": self.accumulation_steps})


class _Loop:
    """The batches of a loop. Not a generator, which would not learn whether a break or an exception ends it."""

    def __init__(self, loader):
        global _current
        self._loader = loader
        self._at = loader._elastic.loop()
        self._data_pass = self._batches = None
        self._begun = False
        _current = None if self._at.done else loader

    def __iter__(self):
        return self

    def __next__(self):
        global _current
        if self._begun and not self._at.done:
            self._at.advance()
        self._begun = True
        if self._at.done:
            _current = None
            raise StopIteration
        if self._at.data_pass is not self._data_pass:
            self._data_pass = self._loader._batches.data_pass = self._at.data_pass
            self._batches = iter(self._loader._loader)
        return next(self._batches)

    def __del__(self):
        global _current
        if _current is self._loader:
            _current = None


class _PassBatches:
    """The sample ids of a pass, a micro-batch at a time: DataLoader's batch_sampler."""

    data_pass = None

    def __iter__(self):
        data_pass = self.data_pass
        return (data_pass.ids(number) for number in range(data_pass.micro_batches))

    def __len__(self):
        return self.data_pass.micro_batches if self.data_pass else 0


class _SeededWorker:
    """Gives each worker of each replica random numbers of its own."""

    def __init__(self, worker_init_fn, num_workers):
        self._init, self._workers = worker_init_fn, max(1, num_workers)

    def __call__(self, worker):
        seed = torch.initial_seed() + engine.replica_rank() * self._workers
        torch.manual_seed(seed)
        random.seed(seed)
        try:
            import numpy
            numpy.random.seed(seed % 2**32)
        except ImportError:
            pass
        if self._init is not None:
            self._init(worker)
