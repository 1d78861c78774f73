# SPDX-License-Identifier: Apache-2.0
"""The C++ part of the engine. PyTorch is loaded first: the engine uses its libraries, and their ABI changes with its version."""
import sys

try:
    import torch
except ModuleNotFoundError as error:
    if error.name != "torch":
        raise
    raise ModuleNotFoundError(f"batchscope.torch needs PyTorch, and {sys.executable} does not have it: install it there, or "
                              "choose another interpreter, as `PYTHON=.. batchscope run` does", name="torch") from None


def _version(text):
    return ".".join(text.split(".")[:2])


def _check_versions():
    """Throws ImportError if the engine was built for another Python or PyTorch: it would crash or not load."""
    try:
        from ._engine_for import PYTHON, TORCH  # written by the build
    except ModuleNotFoundError:
        return  # the engine was not built, which its import reports
    python = "{}.{}".format(*sys.version_info)
    if (PYTHON, TORCH) != (python, _version(torch.__version__)):
        raise ImportError(f"the engine of batchscope.torch was built for Python {PYTHON} with PyTorch {TORCH}, and {sys.executable} "
                          f"is Python {python} with PyTorch {torch.__version__}: `./dev wheel --python {sys.executable}` in "
                          "BatchScope's source tree makes a wheel for these; everything else of batchscope works")


_check_versions()
try:
    from . import _engine as engine
except ImportError as error:
    raise ImportError(f"batchscope.torch has no engine for {sys.executable}: Debian's python3-batchscope-torch brings "
                      f"it, ./dev python builds it for /usr/bin/python3, and pip install . in engine/python for any "
                      f"interpreter ({error})") from error

__all__ = ["engine"]
