# SPDX-License-Identifier: Apache-2.0
"""Shows a run in a notebook's cell: charts that follow it while it trains. The kernel draws them from the store. No port is opened."""

from __future__ import annotations

import html
import importlib
import threading
from typing import Any, Optional, Tuple, Union

from . import _charts, store
from .store import Run, StoreError



class View:
    """The charts in a cell, returned by show(). `stop()` stops their updates. `wait()` waits for the run's end, or at most so many
    seconds, and returns the run."""

    def __init__(self, run: Run, names: Tuple[str, ...], every: float) -> None:
        self.run, self._names, self._every = run, names, every
        self._stopped = threading.Event()
        self._handle: Any = None
        self._thread = threading.Thread(target=self._follow, name=f"batchscope-{run.id}", daemon=True)

    def _repr_html_(self) -> str:
        return _charts.of(self.run, self._names)

    def begin(self) -> None:
        display = _display()
        self._handle = display.display(display.HTML(self._repr_html_()), display_id=True)
        if self.run.ended is None and self._handle is not None:
            self._thread.start()

    def stop(self) -> None:
        self._stopped.set()

    def wait(self, seconds: Optional[float] = None) -> Run:
        if self._thread.is_alive():
            self._thread.join(seconds)
        return self.run

    def _follow(self) -> None:
        display = _display()
        while self.run.ended is None and not self._stopped.wait(self._every):
            try:
                self.run = self.run.refresh()
                shown = self._repr_html_()
            except StoreError as error:  # the store is gone, or the run was deleted
                self._handle.update(display.HTML(f"<div>{html.escape(str(error))}</div>"))
                return
            self._handle.update(display.HTML(shown))


def _display() -> Any:
    try:
        return importlib.import_module("IPython.display")
    except ModuleNotFoundError:
        raise RuntimeError("show() draws into a notebook's cell, and this interpreter has no IPython: start the script in Jupyter, or "
                           "look at the run with `batchscope show` or `batchscope serve`") from None


def show(run: Union[Run, str, None], names: Tuple[str, ...], every: float) -> View:
    if not isinstance(run, Run):
        run = store.by_id(run or "latest")
    view = View(run, names, every)
    view.begin()
    return view
