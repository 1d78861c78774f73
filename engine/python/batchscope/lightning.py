# SPDX-License-Identifier: Apache-2.0
"""Provides a callback for Lightning's Trainer, from `lightning` or `pytorch_lightning`, whichever the script has imported:

    from batchscope.lightning import BatchScopeCallback
    trainer = Trainer(callbacks=[BatchScopeCallback()])

Each optimizer step is recorded with loss, learning rate, batch size and step time. What the module logs is recorded when an epoch or a
validation ends. If the strategy uses DistributedDataParallel, the gradients are measured, too (torch/ddp_monitor.py).

BatchScopeStrategy trains on as many replicas as `batchscope run --replicas` and `rescale` say (_lightning_strategy.py)."""

from __future__ import annotations

from typing import Any, Iterable

from . import _framework, _logger, _recorder
from ._lightning import Callback
from ._lightning_strategy import BatchScopeStrategy

__all__ = ["BatchScopeCallback", "BatchScopeStrategy"]


class BatchScopeCallback(Callback):
    def __init__(self, name: str = "", group: str = "", tags: Iterable[str] = (), notes: str = "", monitor: bool = True) -> None:
        """Tags and notes are added to the run. Name and group count only without a supervisor: under `batchscope run` the run has its own.
        monitor: measure gain, noise scale and goodput, if the model is a DistributedDataParallel."""
        super().__init__()
        self._run = _framework.Run(name, group, tags, notes)
        self._monitor = monitor

    def on_train_start(self, trainer: Any, pl_module: Any) -> None:
        """Begins the run. A checkpoint has been loaded by now, and the sanity check is over."""
        self._run.begin(trainer.is_global_zero, dict(getattr(pl_module, "hparams", {})), trainer.global_step,
                        getattr(trainer, "ckpt_path", None) or "")
        self._steps, self._samples, self._micro_batches = trainer.global_step, 0, 0
        if self._monitor:
            self._run.monitor(getattr(trainer.strategy, "model", None), trainer.optimizers)

    def on_train_epoch_start(self, trainer: Any, pl_module: Any) -> None:
        self._run.begin_epoch(trainer.current_epoch, trainer.max_epochs)

    def on_train_batch_start(self, trainer: Any, pl_module: Any, batch: Any, batch_idx: int) -> None:
        if not self._micro_batches:
            self._run.hand_out(batch_idx, trainer.num_training_batches, True)

    def on_train_batch_end(self, trainer: Any, pl_module: Any, outputs: Any, batch: Any, batch_idx: int) -> None:
        self._micro_batches += 1
        self._samples += _framework.batch_size(batch)
        loss = outputs.get("loss") if hasattr(outputs, "get") else outputs
        if loss is not None:  # Lightning has divided it by the micro-batches of a step
            self._run.record({"loss": loss.detach() * trainer.accumulate_grad_batches})
        if trainer.global_step == self._steps:
            return
        samples, self._samples, self._micro_batches, self._steps = self._samples, 0, 0, trainer.global_step
        if trainer.optimizers:
            self._run.record({"lr": trainer.optimizers[0].param_groups[0]["lr"]})
        self._run.step(trainer.global_step, samples * trainer.world_size, trainer.world_size)

    def on_validation_batch_start(self, trainer: Any, pl_module: Any, batch: Any, batch_idx: int, dataloader_idx: int = 0) -> None:
        if not trainer.sanity_checking and batch_idx == 0:
            self._run.hand_out(0, 0, False)

    def on_validation_epoch_end(self, trainer: Any, pl_module: Any) -> None:
        if not trainer.sanity_checking:
            self._run.record_between(trainer.callback_metrics)

    def on_train_epoch_end(self, trainer: Any, pl_module: Any) -> None:
        self._run.record_between(trainer.callback_metrics)
        self._run.end_epoch(trainer.current_epoch)

    def on_exception(self, trainer: Any, pl_module: Any, exception: BaseException) -> None:
        stopped = isinstance(exception, (KeyboardInterrupt, SystemExit))
        if isinstance(exception, SystemExit) and not exception.code:  # Lightning's answer to SIGTERM: 0 would say that all is done
            exception.code = _logger.STOPPED
        self._run.end(_logger.STOPPED if stopped else 1, "" if stopped else f"{type(exception).__name__}: {exception}")

    def on_fit_end(self, trainer: Any, pl_module: Any) -> None:
        self._run.end()
