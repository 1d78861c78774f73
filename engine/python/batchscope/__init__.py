# SPDX-License-Identifier: Apache-2.0
"""The interface by which a Python script tells BatchScope of its training, and reads what was recorded. One line charts it:

    batchscope.record(loss=loss.item())

Started by `batchscope run -- python3 train.py` the script is then supervised, recorded and charted; started by itself, all of
this does nothing. Nothing here waits for anybody, nor slows a step down by more than some microseconds. Of several replicas
the values of rank 0 count; of several processes of a replica one speaks, the first that has something to tell. README.md
beside this package has the whole of it."""

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
                        f"{values!r:.60} is not a dict. Of what argparse returns, pass vars()")
    return values


def record(values: Optional[Mapping[str, Any]] = None, /, **named: Any) -> None:
    """Values for the charts, by name: `record(loss=0.7, accuracy=0.9)`, `record({"loss/train": 0.7})`. Numbers, and what float()
    takes, such as tensors of one element; those on a GPU are read later, by another thread. TypeError where a value is none.

    A script that calls step() gets the mean of what it records in a step. In one that never does, a step ends when a name
    comes again. Names of the series that every run has, among them loss, validation_loss, accuracy, lr and batch_size, appear
    in the charts that every run has; any other gets a chart of its own."""
    _recorder.current().record({**_named("record", values), **named} if values is not None else named)


def step(number: Any = None, /, **named: Any) -> None:
    """An optimizer step was made: `number` of them so far, or one more than before. What is named is recorded first. Its time, from the
    end of the step before, becomes the series step_time, and with a batch_size throughput."""
    if named:
        _recorder.current().record(named)
    _recorder.current().step(number if number is None else _recorder.whole("step()", number))


def restored(step: Any, checkpoint: object = "") -> None:
    """The script has loaded its own checkpoint (which, for people to read) and goes on behind this step. It says so after every
    start where it can do that, from the beginning with 0: then its run may be moved and shrunk by others than a person."""
    _recorder.current().restored(_recorder.whole("restored()", step), str(checkpoint))


def epochs(until: Any, first: Any = 0) -> Iterator[int]:
    """Iterates over the numbers of the epochs first .. until - 1, and tells of each when it begins and ends."""
    recorder, until = _recorder.current(), _recorder.whole("epochs()", until)
    for epoch in range(_recorder.whole("epochs()", first), until):
        recorder.begin_epoch(epoch, until)
        yield epoch
        recorder.end_epoch(epoch)


def batches(loader: Iterable[_Batch], validate: bool = False) -> Iterator[_Batch]:
    """Iterates over what any loader yields, and tells how far it has come, where the loader has a length. With it the part of a step
    until its batch was there is the series data_time."""
    recorder = _recorder.current()
    try:
        count = len(loader)  # type: ignore[arg-type]
    except TypeError:
        count = 0
    for index, batch in enumerate(loader):
        recorder.hand_out(index / count if count else 0.0, not validate)
        yield batch


def hyperparameters(values: Optional[Mapping[str, Any]] = None, /, **named: Any) -> None:
    """Records the script's settings, shown with the run: `hyperparameters(vars(arguments))`. Once, any time."""
    texts = {str(name): str(value) for name, value in {**_named("hyperparameters", values or {}), **named}.items()}
    _recorder.current().tell("hyperparameters", values=texts)


def notice(text: object, level: str = "info") -> None:
    """A sentence for the run's events; `level` is info, warning or error. It is told with the first step at the earliest."""
    if level not in ("info", "warning", "error"):
        raise ValueError(f"notice(): level {level!r} is not one of info, warning, error")
    _recorder.current().notice(level, str(text))


def follow_tensorboard() -> None:
    """Records, from now on, what add_scalar and add_scalars of a SummaryWriter (torch.utils.tensorboard, tensorboardX) write,
    at the steps that are given there, or in this script's own where it calls step()."""
    _tensorboard.start()


def supervised() -> bool:
    """Whether a supervisor listens."""
    return bool(_recorder.current().supervised)


def runs(where: str = "", *, store: StorePath = None, trash: bool = False) -> Runs:
    """Returns the runs that pass a filter, newest first: `runs("accuracy>0.97")[0].series("loss")`. See batchscope.store."""
    from .store import runs as read
    return read(where, store=store, trash=trash)


def start(program: str, *arguments: object, name: str = "", replicas: Union[int, str] = "",
          options: Sequence[str] = (), store: StorePath = None) -> Run:
    """Starts a run in the background, as `batchscope run --detach` does, and returns it: `start("train.py", "--epochs", 3, replicas=2)`.

    program: a script, which this interpreter runs, a program, or a recipe. replicas: a number, or "auto". options: further ones of
    `batchscope run`, such as ["--tag=paper"]. ValueError and StoreError say what is wrong."""
    from .store import start as begin
    return begin(program, *arguments, name=name, replicas=replicas, options=options, store=store)


def show(run: Union[Run, str, None] = None, *names: str, every: float = 2.0) -> View:
    """Draws charts of a run into a notebook's cell, and goes on drawing while it trains; the cell itself ends at once. The kernel draws them,
    and no port is opened. run: what runs() or start() returned, or an id; None: the newest. names: the series to chart, by default
    the common ones. every: seconds between two drawings. RuntimeError where there is no IPython."""
    from ._notebook import show as draw
    return draw(run, names, every)


def __getattr__(name: str) -> Any:
    """Has the names of W&B's client, for scripts with `import batchscope as wandb` (_wandb.py)."""
    if name.startswith("_"):
        raise AttributeError(f"module 'batchscope' has no attribute {name!r}")
    from ._wandb import attribute
    return attribute(name)
