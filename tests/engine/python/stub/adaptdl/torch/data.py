# SPDX-License-Identifier: Apache-2.0
import collections
import contextlib
import pickle
import signal
import sys

import adaptdl.checkpoint
from adaptdl import env
from adaptdl.torch import _metrics
from adaptdl.torch.epoch import current_epoch

ASKED = []
signal.signal(signal.SIGTERM, lambda *_: ASKED.append(True))


def current_dataloader():
    return AdaptiveDataLoaderHelper.current


class Position(adaptdl.checkpoint.State):
    number = 0

    def __init__(self):
        super().__init__(f"loader-{Position.number}")
        Position.number += 1
        self.index, self.done = 0, {}
        adaptdl.checkpoint.load_state(self)

    def save(self, fileobj):
        pickle.dump((self.index, self.done), fileobj)

    def load(self, fileobj):
        self.index, self.done = pickle.load(fileobj)


class AdaptiveDataLoaderHelper:
    current = trained = None
    positions = collections.Counter()

    def __init__(self, batch_size):
        self.state = Position()
        self.batch_size, self.max_batch_size, self.end_index = batch_size, None, 0
        self.current_local_bsz = batch_size // env.num_replicas()
        self.accumulation_steps = self.count = 0

    @property
    def current_index(self):
        return self.state.index if AdaptiveDataLoaderHelper.current is self else None

    @property
    def current_batch_size(self):
        return self.current_local_bsz * (self.accumulation_steps + 1) * env.num_replicas()

    @property
    def training(self):
        return AdaptiveDataLoaderHelper.trained is self

    def is_optim_step(self):
        return self.count >= self.accumulation_steps

    def autoscale_batch_size(self, max_batch_size, bounds, accumulation):
        state = _metrics._metrics_state()
        AdaptiveDataLoaderHelper.trained = self
        self.max_batch_size = state.max_batch_size = max_batch_size
        state.init_batch_size, state.local_bsz_bounds, state.gradient_accumulation = self.batch_size, bounds, accumulation
        self.accumulation_steps = 1 if accumulation else 0

    @contextlib.contextmanager
    def profile(self, commit):
        if ASKED:
            adaptdl.checkpoint.save_all_states()
            sys.exit(143)
        _metrics._metrics_state().sync_time = 0.0005
        yield
        if commit:
            _metrics.profile_step_commit((1, env.num_replicas(), self.current_local_bsz))
        self.count = 0 if self.is_optim_step() else self.count + 1


class AdaptiveDataLoader:
    def __init__(self, dataset, batch_size=1):
        self.dataset, self._elastic = dataset, AdaptiveDataLoaderHelper(batch_size)

    def autoscale_batch_size(self, max_batch_size, local_bsz_bounds=None, gradient_accumulation=False):
        self._elastic.autoscale_batch_size(max_batch_size, local_bsz_bounds, gradient_accumulation)

    def __iter__(self):
        helper, epoch = self._elastic, current_epoch()
        place = (epoch, AdaptiveDataLoaderHelper.positions[epoch])
        AdaptiveDataLoaderHelper.positions[epoch] += 1
        if place in helper.state.done:
            return
        AdaptiveDataLoaderHelper.current = helper
        try:
            step = helper.current_local_bsz * env.num_replicas()
            while helper.state.index < len(self.dataset):
                with helper.profile(True):
                    yield self.dataset[helper.state.index:helper.state.index + step]
                    helper.state.index += step
            helper.state.done[place] = True
            helper.state.index = 0
        finally:
            AdaptiveDataLoaderHelper.current = None
