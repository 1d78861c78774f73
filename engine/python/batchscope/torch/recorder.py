# SPDX-License-Identifier: Apache-2.0
"""Records a script's batchscope.record when the engine trains: the engine counts the steps, and reports epochs, positions and
checkpoints itself. If a script records nothing, like scripts for AdaptDL, the loss on which it calls backward() is recorded,
and the sums of its accumulators."""
import functools
import os

import torch

from .. import _recorder
from .._native import engine

_backward = torch.Tensor.backward


class EngineRecorder:
    """The stand-in for _recorder.Recorder."""

    def __init__(self):
        self.supervised = bool(os.environ.get("BATCHSCOPE_TELEMETRY_SOCKET"))
        self._speaks = True
        self._scripts_own = False  # the script records values itself
        self._has_hyperparameters = False
        self._loss = 0.0, 0  # sum and number of the step in flight

    def record(self, values):
        self._scripts_own = True
        self._record(values)

    def _record(self, values):
        numbers = [(name, float(_recorder.number(name, value))) for name, value in values.items()]
        for name, value in numbers if self._speaks else ():
            engine.record(name, value)

    def backward_of(self, loss):
        """Adds a loss to the step's sum. It is read at the step, when the engine waits for the GPU anyway."""
        if self._speaks and not self._scripts_own and loss.numel() == 1:
            sum_, count = self._loss
            self._loss = sum_ + loss.detach() if count else loss.detach().clone(), count + 1  # the script may change its tensor

    def before_step(self, loss_scale):
        """Records the step's loss. loss_scale: the factor by which a GradScaler has multiplied the losses."""
        (sum_, count), self._loss = self._loss, (0.0, 0)
        if count and not self._scripts_own:
            self._record({"loss": float(sum_) / count / loss_scale})  # of numbers: an operation on a tensor takes as long as all else here

    def result(self, sums):
        """Records the sums of an accumulator when it is synchronised. The name "loss" belongs to the training loss."""
        for name, value in sums.items() if not self._scripts_own else ():
            try:
                self._record({"accumulator/loss" if name == "loss" else str(name): value})
            except TypeError:
                continue  # anything that can be added up may be summed

    def record_at(self, name, value, step):
        self.record({name: value})

    def scalar(self, name, value, step=None):
        self.record({name: value})

    def log(self, values, step, is_whole):
        self.record(values)

    def tell(self, kind, **fields):
        if kind == "hyperparameters" and self._speaks:
            self._has_hyperparameters = True
            engine.record_hyperparameters(fields["values"])

    def describe(self, values):
        """Records these hyperparameters if the script has named none by its first step."""
        if not self._has_hyperparameters:
            self.tell("hyperparameters", values={name: str(value) for name, value in values.items() if value is not None})

    def notice(self, level, text):
        if self._speaks:
            engine.notice(level, text)

    def in_child(self):
        """Stops recording: a loader's worker has no line to the supervisor."""
        self._speaks = False
        return self

    def step(self, number=None):
        pass

    steps = 0  # the engine counts them
    restored = begin_epoch = end_epoch = hand_out = close = end_log = lambda self, *_, **__: None


def current():
    """Returns the recorder of this process; None before init_process_group."""
    recorder = _recorder.current()
    return recorder if isinstance(recorder, EngineRecorder) else None


def follow_backward():
    """Reports every backward() on a tensor to the recorder."""
    @functools.wraps(_backward)
    def backward(tensor, *arguments, **named):
        _recorder.current().backward_of(tensor)
        return _backward(tensor, *arguments, **named)

    torch.Tensor.backward = backward
