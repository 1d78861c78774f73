# SPDX-License-Identifier: Apache-2.0
"""Gives replicas random numbers of their own.

PyTorch's generators are the engine's: it gives each replica its own numbers, and checkpoints hold their states
(engine/train/src/device/rng_state.h). `random` and NumPy have global generators besides, of which the engine knows nothing. Replicas
are forked from one process, so NumPy would draw the same on all of them, and the same again after each restart."""
import functools
import hashlib
import random

import torch

from .._native import engine


def seed(number):
    """Seeds `random` and NumPy, where it is installed."""
    random.seed(number)
    try:
        import numpy
    except ImportError:
        return
    numpy.random.seed(number % 2**32)


@functools.cache  # once in a process
def begin():
    """Call it when a loop over data has begun. Seeds both from PyTorch's generator and the generation: where nothing was drawn from
    PyTorch, its state is that of the generation before. Rank 0 of a fresh start draws on, as the script's seeds say."""
    restarts = engine.num_restarts()
    if engine.replica_rank() > 0 or restarts > 0:
        state = bytes(torch.get_rng_state().tolist()) + f"/{restarts}".encode()
        seed(int.from_bytes(hashlib.blake2b(state, digest_size=8).digest(), "little"))
