# SPDX-License-Identifier: Apache-2.0
"""Lightning's DistributedDataParallel over as many replicas as BatchScope has started. It continues where it was stopped:

    strategy = BatchScopeStrategy()
    Trainer(strategy=strategy, callbacks=[BatchScopeCallback()]).fit(model, loader, ckpt_path=strategy.checkpoint)

In Lightning itself, each process leaves when it notices SIGTERM, with exit code 0 and without a checkpoint. Processes that notice after
different steps wait for one another in vain, and the run counts as finished. Here the replicas vote at each step, write one checkpoint,
and leave with the exit code of a stopped run. A vote is counted a step later, so that no step waits for it."""

from __future__ import annotations

import os
import pathlib
import signal
import time
from typing import Any, List, Optional

import torch
from torch import distributed

from . import _logger
from ._lightning import DDPStrategy

_GO_ON, _SAVE, _LEAVE = range(3)


class BatchScopeStrategy(DDPStrategy):
    def __init__(self, *, seconds: float = 60, **named: Any) -> None:
        """seconds: time between checkpoints, to which a run returns after a crash. Further arguments are those of DDPStrategy. `devices`
        and `num_nodes` of the Trainer have no effect in a script that BatchScope or torchrun has started."""
        devices = _devices()
        if devices is not None:
            named.setdefault("parallel_devices", devices)
        super().__init__(**named)
        folder = os.environ.get("ADAPTDL_SHARE_PATH")
        self._file = pathlib.Path(folder, "lightning.ckpt") if folder else None
        self._seconds = seconds
        self._is_asked = False  # to leave, by SIGTERM

    @property
    def checkpoint(self) -> Optional[str]:
        """The newest checkpoint of this run, for fit(ckpt_path=..); None: there is none yet, or the script has no supervisor."""
        return str(self._file) if self._file and self._file.exists() else None

    def on_train_start(self) -> None:
        super().on_train_start()
        if not self._file:
            return
        self._group = distributed.new_group(backend="gloo")
        self._vote, self._work = torch.zeros(1), None
        self._step, self._saved = self._trainer.global_step, time.monotonic()
        signal.signal(signal.SIGTERM, self._leave)  # in place of Lightning's handler, which restores the one before it

    @property
    def _trainer(self) -> Any:
        return self.lightning_module.trainer

    def _leave(self, *_: object) -> None:
        self._is_asked = True

    def on_train_batch_start(self, batch: Any, batch_idx: int) -> None:
        super().on_train_batch_start(batch, batch_idx)
        if not self._file or self._trainer.global_step == self._step:  # within a step of several micro-batches
            return
        self._step = self._trainer.global_step
        outcome = self._count()
        if outcome != _GO_ON:
            self._trainer.save_checkpoint(str(self._file))
            self._saved = time.monotonic()
        if outcome == _LEAVE:
            raise SystemExit(_logger.STOPPED)
        self._begin_vote()

    def _count(self) -> int:
        """Returns the outcome of the previous step's vote, the same on all replicas."""
        if self._work is None:
            return _GO_ON
        self._work.wait()
        return int(self._vote.item())

    def _begin_vote(self) -> None:
        is_time = time.monotonic() - self._saved >= self._seconds
        self._vote.fill_(_LEAVE if self._is_asked else _SAVE if is_time else _GO_ON)
        self._work = distributed.all_reduce(self._vote, distributed.ReduceOp.MAX, self._group, async_op=True)


def _devices() -> Optional[List[Any]]:
    """Returns the devices of this node's replicas; None: the script was started as a single process."""
    if "LOCAL_WORLD_SIZE" not in os.environ:
        return None
    replicas, gpus = int(os.environ["LOCAL_WORLD_SIZE"]), torch.cuda.device_count()
    # A replica that sees only its own GPU counts it as the first.
    return [torch.device("cuda", replica % gpus) if gpus else torch.device("cpu") for replica in range(replicas)]
