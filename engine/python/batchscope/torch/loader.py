# SPDX-License-Identifier: Apache-2.0
"""The base class of all loaders: a batch size that may follow goodput, and one loop at a time."""
import collections
import math

import torch

from .._native import engine
from .._recorder import whole
from . import own_numbers, tensorboard
from .epoch import current_epoch

_current = None  # the loader whose loop is running
_made = collections.Counter()  # loaders by epoch: after a restart they are recognised by the order in which a program makes them


def current_dataloader():
    """Returns the loader of the running loop; None between loops."""
    return _current


class AdaptiveLoader:
    """The base class. A subclass writes _make(training, name), which makes the engine's loader; _size(), which returns the number
    of samples; and __iter__, which returns a Loop."""

    def __init__(self, batch_size, drop_last, training):
        if _current is not None:
            raise RuntimeError("a loader is made inside a loop over data: make it before the loop")
        if whole("batch_size", batch_size) < 1:
            raise ValueError(f"batch_size is {batch_size}: at least 1 is needed")
        self.batch_size, self.drop_last, self.training = whole("batch_size", batch_size), drop_last, training
        self._limits = self._choice = None
        self._engine_loader = None  # the script may make its loaders before init_process_group
        epoch = current_epoch()
        place = "" if epoch is None else f"epoch{epoch}-"
        self._name = f"python-{place}{_made[epoch]}"
        _made[epoch] += 1

    def autoscale_batch_size(self, max_batch_size, local_bsz_bounds=None, gradient_accumulation=False, *,
                             single_gradient=False):
        """Lets goodput choose the batch size: at most max_batch_size in total, and within the bounds for a replica's micro-batch.

        One replica without accumulation keeps its batch size, unless single_gradient lets it grow. Then the noise is estimated
        from one gradient a step, and is too large while the weights move fast, unless AdaptiveDataParallel takes it from the examples of a
        batch (noise_from). With accumulation the noise is measured.
        """
        max_batch_size = whole("max_batch_size", max_batch_size)
        if max_batch_size < self.batch_size:
            raise ValueError(f"max_batch_size {max_batch_size} is below the batch size {self.batch_size}")
        try:
            minimum, maximum = (bound and whole("local_bsz_bounds", bound) for bound in local_bsz_bounds or (None, None))
        except (TypeError, ValueError):
            raise ValueError("local_bsz_bounds must be (minimum, maximum), each a whole number or None, not "
                             f"{local_bsz_bounds!r:.60}") from None
        self._limits = {"max_batch_size": max_batch_size, "minimum": minimum or 1, "maximum": maximum or 0,
                        "accumulation": gradient_accumulation, "single_gradient": single_gradient}
        self._choose(lambda loader: loader.autoscale_batch_size(**self._limits))

    def scale_by_replicas(self, micro_batches=1, until_progress=True):
        """Lets the batch size follow the number of replicas instead: each takes this many micro-batches of batch_size samples per
        step, as in the AdaScale paper. until_progress: an epoch ends by statistical progress; otherwise after one pass."""
        self._limits = None
        self._choose(lambda loader: loader.scale_by_replicas(micro_batches, until_progress))

    def _choose(self, choice):
        self.training, self._choice = True, choice
        if self._engine_loader is not None:
            choice(self._engine_loader)

    @property
    def _native(self):
        if self._engine_loader is None:
            training = torch.is_grad_enabled() if self.training is None else self.training
            self._engine_loader = self._make(training, self._name)
            if self._choice:
                self._choice(self._engine_loader)
        return self._engine_loader

    @property
    def current_batch_size(self):
        """Samples of a step, over all replicas; None outside of its loop."""
        return self._native.batch_size if _current is self else None

    @property
    def current_local_bsz(self):
        """Samples of a micro-batch on one replica; None outside of its loop."""
        return self._native.local_batch_size if _current is self else None

    @property
    def accumulation_steps(self):
        """Micro-batches of a step beyond the first."""
        return self._native.accumulation_steps

    @property
    def max_batch_size(self):
        """The max_batch_size of autoscale_batch_size; None without that call."""
        return self._limits and self._limits["max_batch_size"]

    @property
    def local_bsz_bounds(self):
        """(minimum, maximum) of a replica's micro-batch; None without a call of autoscale_batch_size."""
        return self._limits and (self._limits["minimum"], self._limits["maximum"] or None)

    @property
    def asked_for(self):
        """The batch sizes that the script asked for, by the names of hyperparameters; None for those that it left open."""
        minimum, maximum = self.local_bsz_bounds or (None, None)
        return {"batch_size": self.batch_size, "max_batch_size": self.max_batch_size, "min_local_batch_size": minimum,
                "max_local_batch_size": maximum, "gradient_accumulation": self._limits and self._limits["accumulation"]}

    def __len__(self):
        """Returns the batches of one pass on this replica, at the present batch size."""
        local = self._native.local_batch_size if self._engine_loader else math.ceil(self.batch_size / engine.num_replicas())
        share = math.ceil(self._size() / engine.num_replicas())
        return share // local if self.drop_last else math.ceil(share / local)

    def to_tensorboard(self, writer, global_step, tag_prefix=""):
        """Writes the batch size into a SummaryWriter: between loops that of the last loop, before the first the initial one."""
        loader = self._native
        tensorboard.write(writer, global_step, tag_prefix, {
            "Total_Batch_Size": loader.batch_size, "Local_Batch_Size": loader.local_batch_size,
            "Accumulation_Steps": loader.accumulation_steps})


class Loop:
    """Yields the batches of a loop, which _batch() makes. It is not a generator, because that would not learn whether a break or an
    exception ends it."""

    def __init__(self, loader):
        global _current
        self._loader = loader
        self._at = loader._native.loop()
        own_numbers.begin()
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
        return self._batch()

    def __del__(self):
        global _current
        if _current is self._loader:
            _current = None
