# SPDX-License-Identifier: Apache-2.0
"""The engine's half in C++. PyTorch is loaded first: its libraries are the engine's."""
import sys

import torch  # noqa: F401

try:
    from . import _engine as engine
except ImportError as error:
    raise ImportError(f"batchscope.torch was not built for {sys.executable}: ./dev python builds it for /usr/bin/python3, and "
                      f"cmake's -DBATCHSCOPE_PYTHON= names another interpreter ({error})") from error

__all__ = ["engine"]
