# SPDX-License-Identifier: Apache-2.0
"""The layer below the loggers (_wandb.py, mlflow.py): a run that begins and ends, and values that become series. Numbers, and values
that hold exactly one number, are recorded. Nested names are joined with a slash ("train/loss"). Everything else (texts, images, tables,
arrays of several numbers) is left out, and the run's events say so once for each name. A name that plainly means loss or accuracy
becomes the common series, as with TensorBoard."""

import atexit
import os
import subprocess
import sys
import threading

from . import _alone, _place, _program, _recorder, _tensorboard

MOST_LEFT_OUT = 50  # names that events report
STOPPED = 143  # the exit code of a script that was told to stop
LONGEST = 65_000  # bytes of a hyperparameter

current = None  # the session of this process


class Session:
    """A run as a script's logger sees it: the supervisor's, the script's own (`alone`), or none if nothing is recorded."""

    def __init__(self, alone, is_recorded):
        self.alone = alone
        self.is_recorded = is_recorded
        self.id = alone.run if alone else os.environ.get("ADAPTDL_JOB_ID", "")
        self.folder = alone.folder if alone else os.environ.get("ADAPTDL_SHARE_PATH", "")
        place = _place.find()
        self.restarts = place.generation if place else 0
        self._left_out = set()

    def record(self, values, step=None, is_whole=True):
        """Records values at a step, or at the next one. `is_whole`: the step is complete. Returns the values that are numbers."""
        if not self.is_recorded:
            return {}
        numbers = self.numbers(values)
        _recorder.current().log({_tensorboard.series_of(name): value for name, value in numbers.items()}, step, is_whole)
        return numbers

    def numbers(self, values):
        """Returns the numbers among values, by their full names, and leaves everything else out."""
        numbers = {}
        self._gather("", values, numbers)
        return numbers

    def record_between(self, name, value):
        """Records a value that belongs to no step's row, at the newest step."""
        if not self.is_recorded:
            return
        for key, number in self.numbers({name: value}).items():
            _recorder.current().scalar(_tensorboard.series_of(key), number)

    def hyperparameters(self, values):
        texts = {}
        _flatten_texts("", values, texts)
        if texts and self.is_recorded:
            _recorder.current().tell("hyperparameters", values=texts)

    def _gather(self, prefix, values, numbers):
        for name, value in values.items():
            kind = type(value)
            if kind is float or kind is int:
                numbers[f"{prefix}{name}" if prefix else name if type(name) is str else str(name)] = value
            elif hasattr(value, "items") and not hasattr(value, "dtype"):
                self._gather(f"{prefix}{name}/", value, numbers)
            else:
                self._gather_other(f"{prefix}{name}", value, numbers)

    def _gather_other(self, name, value, numbers):
        try:
            if isinstance(value, (str, bytes, bytearray)) or getattr(value, "numel", int)() > 1:
                raise TypeError
            numbers[name] = _recorder.number(name, value)
        except TypeError:
            self.leave_out(name, value)

    def leave_out(self, name, value):
        if name not in self._left_out and len(self._left_out) < MOST_LEFT_OUT:
            self._left_out.add(name)
            _recorder.current().notice("info", f"{name} is not recorded: {type(value).__name__} is not a number")


def _flatten_texts(prefix, values, texts):
    for name, value in values.items():
        if hasattr(value, "items"):
            _flatten_texts(f"{prefix}{name}.", value, texts)
        else:
            texts[f"{prefix}{name}"] = str(value).encode(errors="replace")[:LONGEST].decode(errors="ignore")


def mapping(values):
    """Returns settings as a mapping. An object, such as argparse's result, gives its attributes."""
    if values is None:
        return {}
    if hasattr(values, "items"):
        return values
    try:
        return vars(values)
    except TypeError:
        raise TypeError(f"give settings as a dict or as an object with attributes; {values!r:.60} is neither") from None


def say(text):
    print(f"batchscope: {text}", file=sys.stderr)


def ignore(call, names):
    """Names, once, the arguments of a call that have no effect here."""
    if names:
        say(f"{call}() ignores {', '.join(sorted(names))}, which have no effect here")


def as_tag(text):
    """Returns a text in the form of a tag, which a filter can name."""
    return " ".join(str(text).translate({ord(","): " ", ord("'"): " "}).split())[:200]


def begin(name="", group="", tags=(), note="", is_recorded=True, resumed_tag=""):
    """Begins the session of this process. Under a supervisor the run exists already, and only takes tags and note. Otherwise the newest
    run with `resumed_tag` is continued, or a new one begins; ranks other than 0, as torchrun sets them, record nothing. If a run cannot
    begin, a line on standard error says why, and nothing is recorded: a logger must not break the script."""
    global current, _failure
    if current and current.alone:  # batchscope.torch.monitor has begun it
        return current
    _failure = (0, "")
    tags = [as_tag(tag) for tag in tags]
    alone = None
    if not is_recorded or _recorder.current().supervised:
        if is_recorded:
            _describe(tags, note)
    elif not isinstance(_recorder.current(), _recorder.Recorder):
        say("nothing is recorded: a script on batchscope.torch is recorded only if you start it with `batchscope run`")
        is_recorded = False
    elif os.environ.get("RANK", "0") != "0":
        is_recorded = False
    else:
        try:
            earlier = _alone.find(resumed_tag) if resumed_tag else None
            alone = _alone.resume(earlier) if earlier else _alone.begin(name, group, [tag for tag in tags if tag], note)
        except (OSError, _program.StoreError) as error:
            say(f"nothing is recorded: {error}")
            is_recorded = False
    if alone:
        if sys.excepthook is not _note_failure:
            _excepthook[:], sys.excepthook = [sys.excepthook], _note_failure
        _place.given = alone.place
        before = _recorder.current()
        _recorder.replace(_recorder.Recorder(), before)
        if alone.place.generation:
            _recorder.current().restored(alone.step)
        say(f"run {alone.run} {'goes on' if alone.place.generation else 'is recorded'}: batchscope show {alone.run}")
    current = Session(alone, is_recorded)
    return current


def _describe(tags, note):
    """Adds tags and a note to a supervised run, once, in the background."""
    place, run = _place.find(), os.environ.get("ADAPTDL_JOB_ID")
    if not run or not place or place.rank or place.generation:
        return
    commands = ([["tag", run, *(f"+{tag}" for tag in tags if tag)]] if any(tags) else []) + ([["note", run, note]] if note else [])
    if commands:
        threading.Thread(target=_tell_program, args=(commands,), name="batchscope-tags").start()


def _tell_program(commands):
    try:
        for command in commands:
            subprocess.run([_program.find(), *command], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, check=False)
    except (OSError, _program.StoreError) as error:
        say(f"tags and note are not recorded: {error}")


def end(code=0, text=""):
    """Ends the session, and the run if it is the script's own."""
    global current
    session, current = current, None
    if not session or not session.is_recorded:
        return
    recorder = _recorder.current()
    if session.alone:
        recorder.close()
        _place.given = None
        if isinstance(recorder, _recorder.Recorder):
            _recorder.replace(_recorder.Recorder(), recorder)
        session.alone.end(code, text)
    else:
        recorder.end_log()


def _end_at_exit():
    if current and current.alone:
        end(*_failure)


_failure = (0, "")


def _note_failure(kind, error, trace):
    """Notes an exception that nobody catches: it ends the run. Ctrl-C stops the run."""
    global _failure
    _failure = (STOPPED, "") if issubclass(kind, KeyboardInterrupt) else (1, f"{kind.__name__}: {error}")
    _excepthook[0](kind, error, trace)


_excepthook = [sys.excepthook]
atexit.register(_end_at_exit)
