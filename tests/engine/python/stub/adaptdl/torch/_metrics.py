# SPDX-License-Identifier: Apache-2.0
import collections
import pickle
import time

import adaptdl.checkpoint

FIT = 30  # steps
PerfParams = collections.namedtuple("PerfParams", "alpha_c beta_c alpha_n beta_n alpha_r beta_r gamma")


class Metrics(adaptdl.checkpoint.State):
    def __init__(self):
        super().__init__("metrics")
        self.profile = {}
        self.perf_params = self.grad_params = self.local_bsz_bounds = None
        self.init_batch_size = self.max_batch_size = None
        self.gradient_accumulation = False
        self.progress, self.commits, self.sync_time = 0.0, 0, 0.0
        adaptdl.checkpoint.load_state(self)

    def save(self, fileobj):
        pickle.dump((self.progress, self.profile), fileobj)

    def load(self, fileobj):
        self.progress, self.profile = pickle.load(fileobj)


class Goodput:
    def throughput(self, nodes, replicas, atomic_bsz, accum_steps):
        return replicas * atomic_bsz * (accum_steps + 1) / 0.005


STATE = Metrics()


def _metrics_state():
    return STATE


def get_progress():
    return STATE.progress


def get_goodput_fn():
    return STATE.perf_params and Goodput()


def _fit_perf_params():
    STATE.perf_params = PerfParams(0.001, 0.0001, 0.01, 0.001, 0.002, 0.001, 1.5)


def profile_step_commit(key):
    STATE.profile[key] = time.time()
    STATE.commits += 1
    if STATE.commits % FIT == 0:
        _fit_perf_params()
