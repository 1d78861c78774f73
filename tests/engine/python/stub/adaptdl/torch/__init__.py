# SPDX-License-Identifier: Apache-2.0
from .accumulator import Accumulator
from .data import AdaptiveDataLoader, current_dataloader
from .epoch import current_epoch, finished_epochs, remaining_epochs_until
from .parallel import AdaptiveDataParallel


def init_process_group(backend, init_method=None, world_size=None, rank=None):
    pass
