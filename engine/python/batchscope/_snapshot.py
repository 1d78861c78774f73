# SPDX-License-Identifier: Apache-2.0
"""Follows a script's own snapshots, which scripts for torchrun write by torch.save and load at their next start. The newest one is noted in
the run's folder with the step at that time. The supervisor reports from it what a restart continues from, and passes its path to a script
that asks for it (`batchscope run --resume-arg`). When the script loads it after a restart, the run's steps continue after its step.

A snapshot is often written beside its place and then moved, so os.replace and os.rename are followed. Scripts on the engine or on AdaptDL
have checkpoints, and are not followed."""

import functools
import json
import os
import pathlib
import sys

from . import _recorder

_newest = None  # the path of this process's newest snapshot


def follow(serialization):
    """Wraps the functions of torch.serialization before `torch` has them."""
    folder = os.environ.get("ADAPTDL_SHARE_PATH")
    if not folder or not _recorder.current().supervised:
        return
    note = pathlib.Path(folder, "batchscope-snapshot.json")
    _wrap(serialization, "save", lambda obj, f, *_, **__: _saved(f, note))
    _wrap(serialization, "load", lambda f, *_, **__: _loaded(f, note))
    for name in ("replace", "rename"):
        _wrap(os, name, lambda src, dst, *_, **__: _moved(src, dst, note))


def _wrap(module, name, then):
    """Makes a function call then() afterwards, with the same arguments."""
    original = getattr(module, name)

    @functools.wraps(original)
    def call(*arguments, **named):
        result = original(*arguments, **named)
        try:
            if _is_followed():
                then(*arguments, **named)
        except Exception as error:  # a watcher must not break the script
            print(f"batchscope: the snapshot is not noted: {error!r}", file=sys.stderr)
        return result

    setattr(module, name, call)


def _is_followed():
    recorder = _recorder.current()
    return isinstance(recorder, _recorder.Recorder) and recorder.speaks and "adaptdl" not in sys.modules


def _path(file):
    """Returns the absolute path of torch.save's file argument; None if it is not a file."""
    name = getattr(file, "name", None) if hasattr(file, "write") or hasattr(file, "read") else file
    return os.path.abspath(os.fsdecode(name)) if isinstance(name, (str, bytes, os.PathLike)) else None


def _saved(file, note):
    global _newest
    path = _path(file)
    if path:
        _newest = path
        _write(note)


def _moved(source, target, note):
    global _newest
    if _newest and os.path.abspath(os.fsdecode(source)) == _newest:
        _newest = os.path.abspath(os.fsdecode(target))
        _write(note)


def _write(note):
    new = note.with_suffix(f".{os.getpid()}")
    new.write_text(json.dumps({"path": _newest, "step": _recorder.current().newest_step}))
    _replace(new, note)


_replace = os.replace  # as it is without us


def _loaded(file, note):
    recorder = _recorder.current()
    if recorder.steps or not recorder.place.generation:
        return  # to look at the best one after training, say
    try:
        noted = json.loads(note.read_text())
    except (OSError, ValueError):
        return
    if noted["path"] == _path(file) and noted["step"]:
        recorder.restored(noted["step"], os.path.basename(noted["path"]))
