# SPDX-License-Identifier: Apache-2.0
"""Provides a callback for Transformers' Trainer:

    from batchscope.transformers import BatchScopeCallback
    trainer = Trainer(model, args, callbacks=[BatchScopeCallback()], ..)

Each optimizer step is recorded with its batch size and step time. What the Trainer logs every `logging_steps`, among it loss and
learning rate, is recorded at the newest step."""

from __future__ import annotations

import math
import sys
from typing import Any, Dict, Iterable, Optional

from . import _framework

try:
    from transformers import TrainerCallback
except ModuleNotFoundError:
    raise ModuleNotFoundError(f"batchscope.transformers needs Transformers: install transformers for this interpreter, {sys.executable}",
                              name="transformers") from None

__all__ = ["BatchScopeCallback"]

_NAMES = {"learning_rate": "lr"}
_LEFT_OUT = {"epoch", "total_flos"}  # the run records epochs itself, and the flops are not worth a chart


class BatchScopeCallback(TrainerCallback):
    def __init__(self, name: str = "", group: str = "", tags: Iterable[str] = (), notes: str = "") -> None:
        """Tags and notes are added to the run. Name (default: the Trainer's run_name) and group count only without a supervisor: under
        `batchscope run` the run has its own."""
        super().__init__()
        self._run = _framework.Run(name, group, tags, notes)
        self._steps_of_epoch = 0

    def on_train_begin(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        self._run.name = self._run.name or str(getattr(args, "run_name", None) or "")
        settings = args.to_sanitized_dict() if hasattr(args, "to_sanitized_dict") else {}
        self._run.begin(state.is_world_process_zero, settings, state.global_step)

    def on_epoch_begin(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        self._run.begin_epoch(int(state.epoch or 0), math.ceil(state.num_train_epochs or 0))
        self._steps_of_epoch = max(1, round(state.max_steps / state.num_train_epochs)) if state.num_train_epochs else 0

    def on_step_begin(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        done = state.global_step % self._steps_of_epoch if self._steps_of_epoch else 0
        self._run.hand_out(done, self._steps_of_epoch, True)

    def on_step_end(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        self._run.step(state.global_step, args.train_batch_size * args.gradient_accumulation_steps * args.world_size, args.world_size)

    def on_log(self, args: Any, state: Any, control: Any, logs: Optional[Dict[str, Any]] = None, **kwargs: Any) -> None:
        self._run.record_between({_NAMES.get(name, name): value for name, value in (logs or {}).items() if name not in _LEFT_OUT})

    def on_epoch_end(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        self._run.end_epoch(max(0, math.ceil(state.epoch or 1) - 1))

    def on_train_end(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        self._run.end()
