# SPDX-License-Identifier: Apache-2.0
"""Provides a tracker for Accelerate:

    from batchscope.accelerate import BatchScopeTracker
    accelerator = Accelerator(log_with=BatchScopeTracker("first"))
    accelerator.init_trackers("shapes", config={"lr": 0.1})

The values of accelerator.log(values, step=..) are recorded by the rule of the loggers (_logger.py). To measure gradients, call
batchscope.torch.monitor with the model that accelerator.prepare() returns, if that is a DistributedDataParallel."""

from __future__ import annotations

import sys
from typing import Any, Dict, Iterable, Mapping, Optional

from . import _framework, _logger

try:
    from accelerate.tracking import GeneralTracker, on_main_process
except ModuleNotFoundError:
    raise ModuleNotFoundError(f"batchscope.accelerate needs Accelerate: install accelerate for this interpreter, {sys.executable}",
                              name="accelerate") from None

__all__ = ["BatchScopeTracker"]


class BatchScopeTracker(GeneralTracker):
    name = "batchscope"
    requires_logging_directory = False
    main_process_only = True

    def __init__(self, run_name: str = "", group: str = "", tags: Iterable[str] = (), notes: str = "") -> None:
        """Tags and notes are added to the run. Name and group count only without a supervisor: under `batchscope run` the run has its own."""
        super().__init__()
        self._run = _framework.Run(run_name, group, tags, notes)

    @property
    def tracker(self) -> Optional[_logger.Session]:
        """The session, with the run's `id` and `folder`; None before init_trackers()."""
        return _logger.current

    @on_main_process
    def start(self) -> None:
        """Begins the run. Newer versions of Accelerate call it once their processes have found one another."""
        self._run.begin(True)

    @on_main_process
    def store_init_configuration(self, values: Mapping[str, Any]) -> None:
        self._run.begin(True, values)

    @on_main_process
    def log(self, values: Dict[str, Any], step: Optional[int] = None, **kwargs: Any) -> None:
        self._run.begin(True)
        self._run.log(values, step)

    @on_main_process
    def finish(self) -> None:
        self._run.end()
