# SPDX-License-Identifier: Apache-2.0
"""Calls the program `batchscope`: only it can filter runs and start new ones. In a wheel it is inside the package, in a build it is in
`bin` beside `bin/python`, elsewhere it is on PATH."""

from __future__ import annotations

import json
import os
import pathlib
import shutil
import subprocess
from typing import Any, Mapping


class StoreError(RuntimeError):
    """An error of the store or of the program. The message says what is wrong and what to do. `kind` is failure, not_found, conflict,
    corrupt, version, timeout or io, as in `batchscope help exit-codes`."""

    def __init__(self, kind: str, message: str) -> None:
        super().__init__(message)
        self.kind = kind


def find() -> str:
    """Returns the path of the program. Throws StoreError(not_found)."""
    package = pathlib.Path(__file__).absolute().parent
    for program in (package / "_installed/bin/batchscope", package.parents[1] / "batchscope"):
        if program.is_file() and os.access(program, os.X_OK):
            return str(program)
    found = shutil.which("batchscope")
    if not found:
        raise StoreError("not_found", "the program batchscope is neither beside this package nor on PATH: install the Debian "
                                      "package batchscope or BatchScope's wheel, or put build/release/bin of a built "
                                      "BatchScope into PATH")
    return found


def ask(*arguments: str, environment: Mapping[str, str]) -> Any:
    """Returns the program's answer to a command with --json. Throws ValueError for a wrong argument, StoreError for other errors."""
    done = subprocess.run([find(), arguments[0], "--json", *arguments[1:]], env={**os.environ, **environment}, stdin=subprocess.DEVNULL,
                          capture_output=True, text=True, encoding="utf-8", errors="surrogateescape", check=False)
    try:
        answer = json.loads(done.stdout)
    except ValueError:
        raise StoreError("failure", done.stderr.strip() or f"batchscope {arguments[0]} ended with {done.returncode}") from None
    error = answer.get("error")
    if not error:
        return answer
    if error["kind"] == "usage":
        raise ValueError(error["message"])
    raise StoreError(error["kind"], error["message"])
