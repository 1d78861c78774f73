# SPDX-License-Identifier: Apache-2.0
"""The recorder groups what a script records into steps. Values are gathered in a row until their step ends. A name that comes
several times in a step gets the mean, as over micro-batches. The end of a step comes from one of three sources, the first
that the script uses: step(), or AdaptDL's steps (_adaptdl.py); the step numbers of TensorBoard's writer (_tensorboard.py);
otherwise a name that comes again.

A process has one recorder, and so has each process forked from it. The first of them that reports something speaks for the
replica (_line.py). Without a supervisor, and on all ranks but 0, a recorder keeps nothing."""

import atexit
import operator
import os
import platform
import sys
import threading
import time
import typing

from . import _line, _place

_MOST_EARLY = 100  # calls that are kept for a recorder that takes over


def number(name, value):
    """Returns a value that can be added up. Does not wait for a GPU: a scalar on it is copied there, and read when it is sent."""
    if type(value) is float:
        return value
    if getattr(value, "is_cuda", False):
        return value.detach().clone()
    try:
        return float(value)
    except (TypeError, ValueError, OverflowError, RuntimeError):
        raise TypeError(f"{name}: {value!r:.60} is not a number; for a tensor of several numbers, record the mean") \
            from None


def whole(call: str, value: typing.Any) -> int:
    """Returns a whole number in the form of JSON; NumPy and tensors have their own types of whole numbers."""
    try:
        return operator.index(value)
    except TypeError:
        raise TypeError(f"{call}: {value!r:.60} is not a whole number") from None


def library():
    """Returns the library that computes here, and its device, as far as they are known."""
    torch = sys.modules.get("torch")
    if not torch:
        return f"Python {platform.python_version()}", ""
    device = f"cuda:{torch.cuda.current_device()}" if torch.cuda.is_initialized() else "cpu"
    return f"PyTorch {torch.__version__}", device


class Recorder:
    def __init__(self):
        self.place = _place.find()
        self._line = _line.Line(self.place) if self.place else None
        self.speaks = self.place is not None and self.place.rank == 0
        self._is_open = False
        self._lock = threading.RLock()  # a signal's handler may record as well
        self._row = {}  # name: [sum, count], of the step in flight
        self._row_step = None  # its number, where a TensorBoard writer has said it
        self._row_time = 0.0  # s, of its last value
        self.counted = False  # by step(), or by AdaptDL
        self.steps = 0  # finished
        self._begun = time.monotonic()  # the step in flight
        self._is_apart = True  # what comes before the next batch is not a part of a step
        self._data_time = None  # s, from there to the first batch of the step in flight
        self._epoch, self._epochs = 0, 0
        self._fraction = 0.0  # of the epoch
        self._measured = None  # values of a step that was made, and when (s), until its row ends
        self._early = []  # calls before the first step, as (method, arguments, named)

    @property
    def supervised(self):
        return self._line is not None

    @property
    def newest_step(self):
        """The newest step, whether or not its row has ended."""
        return self.steps + bool(self._measured or self._row)

    # The row's values.

    def record(self, values):
        values = {name: number(name, value) for name, value in values.items()}
        self._keep("record", values)
        if not self.speaks:
            return
        with self._lock:
            if not self.counted and any(name in self._row for name in values):
                self._end_row(self._row_step or self.steps + 1, self._row_time)
            self._add(values)

    def record_at(self, name, value, step):
        """Records at a step, as TensorBoard's writer does. A step that is not after the newest one most often counts epochs, or
        comes late."""
        value = number(name, value)
        if not self.speaks:
            return
        with self._lock:
            newest = self.steps if self._row_step is None else self._row_step
            if step is None or self.counted:
                self.record({name: value})
            elif step > newest or self._row_step is None and not self.steps:
                if self._row:
                    self._end_row(newest, self._row_time)
                self._row_step = step
                self._add({name: value})
            elif name in self._row:
                self.scalar(name, value, step)
            else:
                self._add({name: value})

    def log(self, values, step, is_whole):
        """Records numbers from a logger (_logger.py): at a step, or at that of the current row. The last value of a name counts.
        `is_whole`: the step is complete. Values for a step that is not after the newest one are recorded at the newest one."""
        if not self.speaks:
            return
        with self._lock:
            if self.counted:
                self._add(values)
                return
            newest = self.steps if self._row_step is None else self._row_step
            if step is None:
                step = self.steps + 1 if self._row_step is None else newest
            if step > newest:
                if self._row:
                    self._end_row(newest, self._row_time)
            elif self._row_step is None and (self.steps or step):
                for name, value in values.items():
                    self.scalar(name, value)
                return
            self._row_time = time.monotonic()
            if is_whole and not self._row:
                self._row_step = None
                self._send_row(dict(values), step, self._row_time)
                return
            self._row_step = max(step, newest)
            self._row.update((name, [value, 1]) for name, value in values.items())
            if is_whole:
                self._end_row(self._row_step, self._row_time)

    def end_log(self):
        """Ends the current row of a logger that has ended."""
        if self.speaks:
            with self._lock:
                self._end_unfinished()

    def _add(self, values):
        for name, value in values.items():
            sum_ = self._row.get(name)
            if sum_ is None:
                self._row[name] = [value, 1]
            else:
                sum_[0] = sum_[0] + value
                sum_[1] += 1
        self._row_time = time.monotonic()

    # The row's end.

    def step(self, number_=None):
        """Ends a step that the script counts itself."""
        now = time.monotonic()
        with self._lock:
            self.counted = True
            if not self.speaks:
                return
            seconds = now - self._begun
            if "batch_size" in self._row:
                size, count = self._row["batch_size"]
                self._row.setdefault("throughput", [size / count / seconds, 1])
            self._row.setdefault("step_time", [seconds, 1])
            if self._data_time is not None:
                self._row.setdefault("data_time", [self._data_time, 1])
            self.end_step(self.steps + 1 if number_ is None else number_, now)

    def measure(self, values):
        """Takes what was measured of a step beside the script's loop (torch/ddp_monitor.py). What the script records after it belongs to
        the same step, which the script's own step() ends, or else end_measured()."""
        with self._lock:
            self.end_measured()
            self.counted = True
            if self.speaks:
                self._measured = values, time.monotonic()

    def end_measured(self):
        """Ends a measured step, because the next one begins."""
        with self._lock:
            if self._measured:
                self.end_step(self.steps + 1, self._measured[1])

    def end_step(self, step, now, values=()):
        """Ends the step. These values are added to the recorded ones, and replace values of the same names."""
        with self._lock:
            self.counted = True
            for name, value in dict(values).items():
                self._row[name] = [value, 1]
            self._end_row(step, now)
            self._begun, self._is_apart, self._data_time = now, False, None

    def _end_row(self, step, now):
        row = {name: sum_ / count for name, (sum_, count) in self._row.items()}
        if self._measured:  # over all replicas; replaces values of the same names
            row.update(self._measured[0])
        self._row, self._row_step, self._measured = {}, None, None
        self._send_row(row, step, now)

    def _send_row(self, row, step, now):
        self.steps = max(step, 0)
        if step < 1:  # only TensorBoard has such steps: a row belongs to a step that was made
            for name, value in row.items():
                self.scalar(name, value, 0)
            return
        row.setdefault("replicas", self.place.replicas)
        if self._epochs:
            row.setdefault("epoch", self._epoch + self._fraction)
        row["mono"] = now
        self.open()
        self._line.send_row(step, row)

    def scalar(self, name, value, step=None):
        """Sends a value that belongs to no step's row, such as a validation metric."""
        if self.speaks:
            self._line.send("scalar", name=name, step=max(self.steps if step is None else step, 0), value=value,
                            mono=time.monotonic())

    def _end_unfinished(self):
        """Ends the step of the values since the last step, at the end of an epoch or of the script."""
        self.end_measured()
        if not self._row:
            return
        if self.counted:
            row, self._row = self._row, {}
            for name, (sum_, count) in row.items():
                self.scalar(name, sum_ / count)
        else:
            self._end_row(self.steps + 1 if self._row_step is None else self._row_step, self._row_time)

    # Where the script is.

    def restored(self, step, checkpoint=""):
        with self._lock:
            self.steps = step
            self._begun, self._is_apart = time.monotonic(), True
            if self.supervised:
                self.open()
                self._line.send("restored", rank=self.place.rank, checkpoint=checkpoint, step=step, mono=time.monotonic())

    def begin_epoch(self, epoch, epochs, told=False):
        """Begins an epoch. `told`: the supervisor has heard of its beginning before a restart."""
        with self._lock:
            self._epoch, self._epochs, self._fraction = epoch, epochs, 0.0
            self._is_apart = True
            if self.speaks and not told:
                self._line.send("epoch", epoch=epoch, begin=True, step=self.steps, mono=time.monotonic())

    def end_epoch(self, epoch):
        with self._lock:
            if self.speaks:
                self._end_unfinished()
                self._line.send("epoch", epoch=epoch, begin=False, step=self.steps, mono=time.monotonic())

    def hand_out(self, fraction, is_training):
        """Begins a batch of the data."""
        now = time.monotonic()
        if is_training:
            if self._is_apart:
                self._begun, self._is_apart = now, False
            if self._data_time is None:
                self._data_time = now - self._begun
            self._fraction = fraction
        else:
            self._is_apart = True
        self.position("train" if is_training else "validate", fraction, self.steps, now)

    def position(self, loop, fraction, progress, now):
        if self.speaks:
            self._line.send_position(epoch=self._epoch, epochs=self._epochs, loop=loop, fraction=fraction,
                                     progress=progress, mono=now)

    # Messages besides steps.

    def tell(self, kind, **fields):
        """Sends a message unchanged, on rank 0."""
        self._keep("tell", kind, **fields)
        if self.speaks:
            self._line.send(kind, **fields)

    def notice(self, level, text):
        self._keep("notice", level, text)
        if self.supervised:
            self._line.send("notice", level=level, text=text, step=self.steps)

    def open(self, **hello):
        """Opens the line, with the first step: a process that has sent hello is expected to make steps."""
        if self.supervised and not self._is_open:
            self._is_open = True
            computes, device = library()
            opened = self._line.open(**{"backend": "none", "library": computes, "device": device, **hello})
            multiprocessing = sys.modules.get("multiprocessing.util")
            if opened and multiprocessing:  # its processes end without atexit's functions
                multiprocessing.Finalize(None, self.close, exitpriority=0)

    def close(self):
        """Closes the line at the script's end."""
        if not self.supervised:
            return
        with self._lock:
            if self.speaks:
                self._end_unfinished()
            if self._line.waits:
                self.open()
        self._line.close()

    def _keep(self, method, *arguments, **named):
        if not self.steps and len(self._early) < _MOST_EARLY:
            self._early.append((method, arguments, named))

    def hand_over(self, recorder):
        """Hands what this recorder got and did not send over to another one."""
        if not self._is_open:
            for method, arguments, named in self._early:
                getattr(recorder, method)(*arguments, **named)

    def in_child(self):
        """Returns the recorder of a process that was forked from this one."""
        if self.supervised:
            self._line.abandon()
        return Recorder()


_current = Recorder()


def current() -> typing.Any:
    return _current


def replace(recorder, told):
    """Makes `recorder` the current one, and hands over to it what `told` got: the current recorder or, in a forked process, the
    parent's."""
    global _current
    _current.in_child()
    _current = recorder
    told.hand_over(recorder)


def _begin_anew():
    global _current
    _current = _current.in_child()


os.register_at_fork(after_in_child=_begin_anew)
atexit.register(lambda: _current.close())
