# SPDX-License-Identifier: Apache-2.0
"""The interface with which a Python script reports its training to BatchScope, and reads what was recorded. One line charts it:

    batchscope.record(loss=loss.item())

Under `batchscope run -- python3 train.py` the script is supervised, recorded and charted. Without it, these calls do nothing.
No call waits for another process, or slows a step down by more than some microseconds. Of several replicas, rank 0's values
are recorded. Of several processes of a replica, the first that reports something is recorded. README.md beside this package
describes all of it."""

from __future__ import annotations

import collections.abc
from typing import TYPE_CHECKING, Any, Iterable, Iterator, Mapping, Optional, Sequence, TypeVar, Union

from . import _recorder, _tensorboard

if TYPE_CHECKING:
    from ._notebook import View
    from .store import Run, Runs, StorePath

__all__ = ["record", "step", "restored", "epochs", "batches", "hyperparameters", "notice", "follow_tensorboard", "supervised",
           "runs", "start", "show"]

_Batch = TypeVar("_Batch")


def _named(call: str, values: Any) -> Mapping[str, Any]:
    if not isinstance(values, collections.abc.Mapping):
        raise TypeError(f"{call}(): give values by name, as in {call}(loss=0.7) or {call}({{'loss': 0.7}}); "
                        f"{values!r:.60} is not a dict. For the result of argparse, pass vars() of it")
    return values


def record(values: Optional[Mapping[str, Any]] = None, /, **named: Any) -> None:
    """Records values for the charts, by name: `record(loss=0.7, accuracy=0.9)`, `record({"loss/train": 0.7})`. Values are numbers,
    and what float() takes, such as tensors of one element. Another thread reads those on a GPU later. Raises TypeError for a value
    that is not a number.

    A script that calls step() gets the mean of each name's values in a step. In a script that never calls it, a step ends when a
    name comes again. Common names, among them loss, validation_loss, accuracy, lr and batch_size, appear in the charts that every
    run has. Any other name gets its own chart."""
    _recorder.current().record({**_named("record", values), **named} if values is not None else named)


def step(number: Any = None, /, **named: Any) -> None:
    """Reports an optimizer step: the step's `number`, by default one more than before. Named values are recorded first. The time since
    the end of the step before becomes the series step_time, and with a batch_size also gives the series throughput."""
    if named:
        _recorder.current().record(named)
    _recorder.current().step(number if number is None else _recorder.whole("step()", number))


def restored(step: Any, checkpoint: object = "") -> None:
    """Reports that the script has loaded its own checkpoint and continues after this step. `checkpoint` names it, for people. Call it
    at every start of a script that can load checkpoints, with 0 the first time: then the pool may move and shrink the run."""
    _recorder.current().restored(_recorder.whole("restored()", step), str(checkpoint))


def epochs(until: Any, first: Any = 0) -> Iterator[int]:
    """Iterates over the numbers of the epochs first .. until - 1, and reports the beginning and end of each."""
    recorder, until = _recorder.current(), _recorder.whole("epochs()", until)
    for epoch in range(_recorder.whole("epochs()", first), until):
        recorder.begin_epoch(epoch, until)
        yield epoch
        recorder.end_epoch(epoch)


def batches(loader: Iterable[_Batch], validate: bool = False) -> Iterator[_Batch]:
    """Iterates over what any loader yields, and reports its progress if the loader has a length. With this call, the part of a step until
    its batch was there becomes the series data_time."""
    recorder = _recorder.current()
    try:
        count = len(loader)  # type: ignore[arg-type]
    except TypeError:
        count = 0
    for index, batch in enumerate(loader):
        recorder.hand_out(index / count if count else 0.0, not validate)
        yield batch


def hyperparameters(values: Optional[Mapping[str, Any]] = None, /, **named: Any) -> None:
    """Records the script's settings, shown with the run: `hyperparameters(vars(arguments))`. Call it once, at any time."""
    texts = {str(name): str(value) for name, value in {**_named("hyperparameters", values or {}), **named}.items()}
    _recorder.current().tell("hyperparameters", values=texts)


def notice(text: object, level: str = "info") -> None:
    """Adds a sentence to the run's events; `level` is info, warning or error. It is sent with the first step at the earliest."""
    if level not in ("info", "warning", "error"):
        raise ValueError(f"notice(): level {level!r} is not one of info, warning, error")
    _recorder.current().notice(level, str(text))


def follow_tensorboard() -> None:
    """Records from now on what add_scalar and add_scalars of a SummaryWriter (torch.utils.tensorboard, tensorboardX) write, at the
    steps that are given there, or at this script's steps if it calls step()."""
    _tensorboard.start()


def supervised() -> bool:
    """Returns whether a supervisor listens."""
    return bool(_recorder.current().supervised)


def runs(where: str = "", *, store: StorePath = None, trash: bool = False) -> Runs:
    """Returns the runs that pass a filter, newest first: `runs("accuracy>0.97")[0].series("loss")`. See batchscope.store."""
    from .store import runs as read
    return read(where, store=store, trash=trash)


def start(program: str, *arguments: object, name: str = "", replicas: Union[int, str] = "",
          options: Sequence[str] = (), store: StorePath = None) -> Run:
    """Starts a run in the background, as `batchscope run --detach` does, and returns it: `start("train.py", "--epochs", 3, replicas=2)`.

    program: a script, which this interpreter runs, a program, or a recipe. replicas: a number, or "auto". options: further options of
    `batchscope run`, such as ["--tag=paper"]. Raises ValueError and StoreError, which say what is wrong."""
    from .store import start as begin
    return begin(program, *arguments, name=name, replicas=replicas, options=options, store=store)


def show(run: Union[Run, str, None] = None, *names: str, every: float = 2.0) -> View:
    """Draws charts of a run into a notebook's cell, and redraws them while the run trains; the cell itself ends at once. The kernel draws
    them, and no port is opened. run: a run from runs() or start(), or an id; None: the newest. names: the series to chart, by default
    the common ones. every: seconds between two drawings. Raises RuntimeError without IPython."""
    from ._notebook import show as draw
    return draw(run, names, every)


def __getattr__(name: str) -> Any:
    """Returns the names of W&B's client, for scripts with `import batchscope as wandb` (_wandb.py)."""
    if name.startswith("_"):
        raise AttributeError(f"module 'batchscope' has no attribute {name!r}")
    from ._wandb import attribute
    return attribute(name)
