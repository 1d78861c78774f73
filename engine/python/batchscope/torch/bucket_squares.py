# SPDX-License-Identifier: Apache-2.0
"""The communication hook of ddp_monitor.py. It exchanges the gradients of a DistributedDataParallel as without a hook, and computes the
square of each bucket twice: of the local gradient before the all-reduce, and of the averaged gradient after it. The local squares are
added up over the replicas in the all-reduce of the last bucket, which is two numbers longer: another all-reduce would cost a small
step a tenth of its time."""
import functools
import math
import operator
import time

import torch
from torch import distributed


class BucketSquares:
    """Squares of the gradients of one step, whose last backward pass is measured."""

    def __init__(self, model):
        """Raises RuntimeError for a model that has a communication hook already."""
        self._group = model.process_group
        self._replicas = distributed.get_world_size(self._group)
        self._local, self._exchanging = [], []  # squares of this pass's buckets, and (work, mean, future) of each
        self._wider = self._mean = self._sums = self._local_sum = self._sample_sum = None  # the last bucket with sums behind it, and parts
        self._total = None  # the square of the last pass's mean gradient
        self.computed = None  # s, when the last pass had all gradients of this replica
        self.passes = 0  # backward passes of the step that have exchanged gradients
        self.samples = 0  # of the step so far, on this replica
        if self._replicas > 1:
            model.register_comm_hook(None, self._exchange)

    def take(self):
        """Returns for the last pass the sum of the replicas' local squares, the square of the mean gradient, and the samples of all
        replicas; NaN twice and this replica's samples if nothing was exchanged. Then the next step begins."""
        local, samples = self._sums.tolist() if self.passes else (math.nan, self.samples)
        total = float(self._total) if self.passes else math.nan
        self.passes = self.samples = 0
        self.computed = None
        return local, total, samples

    @property
    def is_finite(self):
        """Whether all gradients of the last pass were finite."""
        return not self.passes or math.isfinite(self._total)

    def _exchange(self, _, bucket):
        """Exchanges a bucket, during backward. At the last bucket it waits for all of them, so that no communication thread has to wait
        for Python's lock."""
        mean = longer = bucket.buffer()
        self._local.append(_square(mean))
        self.computed = time.monotonic()
        if not bucket.is_last():
            mean.div_(self._replicas)
        else:
            mean, longer = self._lengthen(mean)
        future = torch.futures.Future(devices=[mean.device] if mean.is_cuda else None)
        self._exchanging.append((distributed.all_reduce(longer, group=self._group, async_op=True), mean, future))
        if bucket.is_last():
            self._end_pass()
        return future

    def _lengthen(self, gradient):
        """Returns the last bucket's share of the mean, and the tensor to exchange, which has the sums behind it."""
        local = functools.reduce(operator.add, self._local)
        if self._sums is None or len(self._mean) != len(gradient) or self._mean.dtype != gradient.dtype:
            self._wider = gradient.new_empty(len(gradient) + 2)
            self._mean, self._sums = self._wider[:-2], self._wider[-2:]
            if local.dtype != gradient.dtype:  # the gradient's is too coarse for sums
                self._sums = local.new_empty(2)
            self._local_sum, self._sample_sum = self._sums
        self._local_sum.copy_(local)
        self._sample_sum.fill_(self.samples)
        if local.dtype != gradient.dtype:
            distributed.all_reduce(self._sums, group=self._group)
        return torch.div(gradient, self._replicas, out=self._mean), self._wider

    def _end_pass(self):
        squares = []
        for work, mean, future in self._exchanging:
            work.wait()
            squares.append(_square(mean))
            future.set_result(mean)
        self._total = functools.reduce(operator.add, squares)
        self._local, self._exchanging = [], []
        self.passes += 1


def _square(gradient):
    if gradient.dtype in (torch.float16, torch.bfloat16):
        gradient = gradient.float()
    return torch.dot(gradient, gradient)
