# SPDX-License-Identifier: Apache-2.0
"""AdaptDL's API for PyTorch on BatchScope's engine: a script for AdaptDL runs with its imports changed.

    import batchscope.torch as adl

    adl.init_process_group("gloo")
    loader = adl.AdaptiveDataLoader(dataset, batch_size=64, shuffle=True)
    loader.autoscale_batch_size(1028, local_bsz_bounds=(32, 128))
    model = adl.AdaptiveDataParallel(model, optimizer, scheduler)
    for epoch in adl.remaining_epochs_until(30):
        for data, target in loader:
            optimizer.zero_grad()
            loss(model(data), target).backward()
            optimizer.step()

The engine does the norms and the exchange of gradients, the noise scale, the scaling rule, the performance model, the
choice of the batch size, the order of samples and the checkpoints. PyTorch does the forward and backward pass, the
optimizer's own step and the schedule.
"""
from .. import checkpoint, collective, env, goodput, speedup
from .._native import engine
from . import gradient_noise_scale, scaling_rules
from .accumulator import Accumulator
from .adascale import AdaScale
from .data import AdaptiveDataLoader, AdaptiveDataLoaderHelper, AdaptiveDataLoaderMixin, ElasticSampler
from .ddp_monitor import monitor
from .epoch import current_epoch, finished_epochs, remaining_epochs_until
from .iterator import AdaptiveBPTTIterator
from .loader import current_dataloader
from .parallel import AdaptiveDataParallel
from .process_group import init_process_group
from .sharded_optimizer import ShardedOptimizer
from .shards import Shards

Error = engine.Error

__all__ = [
    "Accumulator",
    "AdaScale",
    "AdaptiveBPTTIterator",
    "AdaptiveDataLoader",
    "AdaptiveDataLoaderHelper",
    "AdaptiveDataLoaderMixin",
    "AdaptiveDataParallel",
    "ElasticSampler",
    "Error",
    "ShardedOptimizer",
    "Shards",
    "checkpoint",
    "collective",
    "current_dataloader",
    "current_epoch",
    "env",
    "finished_epochs",
    "goodput",
    "gradient_noise_scale",
    "init_process_group",
    "monitor",
    "remaining_epochs_until",
    "scaling_rules",
    "speedup",
]
