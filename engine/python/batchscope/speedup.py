# SPDX-License-Identifier: Apache-2.0
"""Computes how much faster a run learns on more replicas, each number at its best batch size (adaptdl_sched's
policy/speedup.py)."""
from ._native import engine
from .goodput import bounds, each


class SpeedupFunction:
    """Goodput at the best batch size, divided by that of one replica:

        speedup = SpeedupFunction(goodput_fn, max_batch_size=1024, atomic_bsz_range=(32, 256))
        speedup(1, 4)
    """

    def __init__(self, goodput_fn, max_batch_size=None, atomic_bsz_range=None, accumulation=False):
        """goodput_fn: a GoodputFunction. The rest are optimize's arguments."""
        self._native = engine.SpeedupFunction(
            goodput_fn.native, bounds(goodput_fn.init_batch_size, max_batch_size, atomic_bsz_range, accumulation))

    def __call__(self, num_nodes, num_replicas):
        """Returns the speed-up for numbers, or for arrays element by element; 0 if no batch size is possible, also for 0
        replicas. Remembers what it has computed."""
        return each(self._native, [float], num_nodes, num_replicas)
