# SPDX-License-Identifier: Apache-2.0
"""The engine's half in C++. PyTorch is loaded first: its libraries are the engine's."""
import sys

try:
    import torch  # noqa: F401
except ModuleNotFoundError as error:
    if error.name != "torch":
        raise
    raise ModuleNotFoundError(f"batchscope.torch needs PyTorch, which {sys.executable} has not: install it there, or choose "
                              "another interpreter, as `PYTHON=.. batchscope run` does", name="torch") from None

try:
    from . import _engine as engine
except ImportError as error:
    raise ImportError(f"the engine of batchscope.torch is not there for {sys.executable}: Debian's python3-batchscope-torch has "
                      f"it, ./dev python builds it for /usr/bin/python3, and pip install . in engine/python for any "
                      f"interpreter ({error})") from error

__all__ = ["engine"]
