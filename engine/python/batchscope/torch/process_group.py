# SPDX-License-Identifier: Apache-2.0
"""Begins a training program."""
import importlib
import os
import pathlib
import sys
import traceback

import torch

from .. import _recorder
from .._native import engine
from . import recorder


def init_process_group(backend=None, init_method=None, world_size=None, rank=None, timeout=0):
    """Finds the other replicas and the supervisor, and blocks until they are there.

    Under a supervisor the script may be forked in this call, once for each replica. The code before it (imports, reading the
    data) then runs once for all replicas and restarts, and must start no thread and touch no GPU. SIGTERM and SIGINT make the
    replicas checkpoint and exit with code 143 at the next agreed step. From the first loop over data on, each replica draws
    random numbers of its own from PyTorch, NumPy and `random`, whatever their seeds; rank 0 draws those of the script's seeds.
    After a restart PyTorch's go on where they were, and the others begin anew.

    backend: "gloo", "nccl", or None: chosen by the engine. init_method: "tcp://HOST:PORT" or "file://DIRECTORY"; None: from
    the environment (ADAPTDL_*). timeout: of one collective, in seconds; 0: 30. Raises ValueError for arguments that make no
    sense, and Error naming the missing replicas.
    """
    script = pathlib.Path(sys.argv[0]).stem or "python"
    os.environ.setdefault("ADAPTDL_CHECKPOINT_PATH", f"{script}.checkpoints")
    told = _recorder.current()
    if "torch._compile" in sys.modules:  # PyTorch 2 imports this with the first optimizer: import it once, before replicas are forked
        importlib.import_module("torch._dynamo")
    engine.init_process_group(backend or "auto", init_method or "env://", world_size or 0, -1 if rank is None else rank,
                               timeout)
    _recorder.replace(recorder.EngineRecorder(), told)
    _tell_exceptions()
    _point_to_collectives()
    if engine.replica_rank() == 0:
        recorder.follow_backward()
    # The process may leave between two steps without Python's own end: printed lines must be out by then.
    sys.stdout.reconfigure(line_buffering=True)


def _point_to_collectives():
    """Replaces PyTorch's error for a missing default group. Its advice, "call init_process_group", would mislead here."""
    group = getattr(torch.distributed, "distributed_c10d", None)
    if not hasattr(group, "_get_default_group"):
        return
    found = group._get_default_group

    def _get_default_group():
        if torch.distributed.is_initialized():
            return found()
        raise RuntimeError("torch.distributed has no group here: the engine exchanges gradients by a group of its own. Call "
                           "batchscope.torch's collective.barrier(), collective.allreduce(value) or "
                           "collective.broadcast(value), and env.replica_rank() and env.num_replicas() for rank and number of "
                           "replicas; or torch.distributed.init_process_group(\"gloo\") for an additional group of PyTorch")

    group._get_default_group = _get_default_group


def _tell_exceptions():
    """Reports an exception that nobody catches to the supervisor, by its line in the log."""
    hook = sys.excepthook

    def tell(kind, exception, trace):
        lines = traceback.format_exception_only(kind, exception)  # the place of a syntax error is indented
        engine.tell_exception(next(line.strip() for line in lines if not line.startswith(" ")))
        hook(kind, exception, trace)

    sys.excepthook = tell
