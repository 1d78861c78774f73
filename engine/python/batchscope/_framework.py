# SPDX-License-Identifier: Apache-2.0
"""The layer below the callbacks of frameworks (lightning.py, transformers.py, accelerate.py): a run of their loop, with the framework's
steps. On ranks other than the first it only measures."""

from __future__ import annotations

import math
from typing import Any, Iterable, Mapping, Optional, Sequence

from . import _logger, _recorder, _tensorboard


class Run:
    def __init__(self, name: str = "", group: str = "", tags: Iterable[str] = (), note: str = "") -> None:
        self.name = name
        self._group, self._tags, self._note = group, [tags] if isinstance(tags, str) else list(tags), note
        self._session: Optional[_logger.Session] = None

    def begin(self, is_first: bool, settings: Optional[Mapping[str, Any]] = None, steps: int = 0, checkpoint: object = "") -> None:
        """Begins to record, on the first rank, once. settings: the run's hyperparameters. steps: the number of steps in the framework's
        checkpoint."""
        begins = self._session is None
        if begins:
            self._session = _logger.begin(self.name, self._group, self._tags, self._note, is_recorded=is_first)
        if settings and self._session:
            self._session.hyperparameters(settings)
        if begins and self._is_told() and (steps or self._session and self._session.restarts):
            _recorder.current().restored(steps, str(checkpoint))

    def monitor(self, model: Any, optimizers: Sequence[Any]) -> None:
        """Measures a DistributedDataParallel with one optimizer; does nothing for any other model."""
        from torch.nn.parallel import DistributedDataParallel
        if not isinstance(model, DistributedDataParallel) or len(optimizers) != 1:
            return
        try:
            from .torch import monitor
            monitor(model, optimizers[0])
        except (ImportError, ValueError) as error:
            if self._is_told():
                _recorder.current().notice("info", f"gain, noise scale and goodput are not measured: {error}")

    def _is_told(self) -> bool:
        return self._session is not None and self._session.is_recorded

    def begin_epoch(self, epoch: int, epochs: Optional[int]) -> None:
        if self._is_told():
            _recorder.current().begin_epoch(epoch, max(epochs or 0, 0))

    def end_epoch(self, epoch: int) -> None:
        if self._is_told():
            _recorder.current().end_epoch(epoch)

    def hand_out(self, index: int, count: float, is_training: bool) -> None:
        if self._is_told():
            _recorder.current().hand_out(index / count if count and math.isfinite(count) else 0.0, is_training)

    def record(self, values: Mapping[str, Any]) -> None:
        """Records values of the current step."""
        if self._is_told():
            _recorder.current().record(values)

    def step(self, number: int, batch_size: float, replicas: int) -> None:
        """Reports a step that the framework has counted. batch_size: of all replicas; 0: unknown."""
        if self._is_told():
            _recorder.current().record({"replicas": replicas, **({"batch_size": batch_size} if batch_size else {})})
            _recorder.current().step(number)

    def record_between(self, values: Mapping[str, Any]) -> None:
        """Records the numbers among values, at the newest step."""
        if self._session:
            for name, value in values.items():
                self._session.record_between(name, value)

    def log(self, values: Mapping[str, Any], step: Optional[int]) -> None:
        if self._session:
            self._session.record(values, step)

    def end(self, code: int = 0, text: str = "") -> None:
        """Ends the run, once, if it is the script's own."""
        if self._session:
            self._session = None
            _logger.end(code, text)


def batch_size(batch: Any) -> int:
    """Returns the first dimension of the first tensor in a batch; 0: there is none."""
    if hasattr(batch, "dim") and hasattr(batch, "shape"):
        return int(batch.shape[0]) if batch.dim() else 0
    parts = batch.values() if hasattr(batch, "values") else batch if isinstance(batch, (list, tuple)) else ()
    return next(filter(None, map(batch_size, parts)), 0)
