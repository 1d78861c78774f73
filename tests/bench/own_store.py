# SPDX-License-Identifier: Apache-2.0
"""A store of a bench's own in a folder, and the commands that it gives."""

import contextlib
import json
import os
import pathlib
import subprocess
import sys

PROGRAMS = pathlib.Path(__file__).resolve().parent.parent


@contextlib.contextmanager
def computing(share):
    """Another process computes for this share of the time, from 0 to 1, of a core."""
    busy, idle = 0.1 * share, 0.1 * (1 - share)
    process = subprocess.Popen([sys.executable, "-c", f"import time\nwhile True:\n  end = time.monotonic() + {busy}\n"
                                f"  while time.monotonic() < end: pass\n  time.sleep({idle})"])  # fmt: skip
    try:
        yield
    finally:
        process.kill()


class Store:
    def __init__(self, home):
        self.home = home
        self.environment = dict(os.environ, BATCHSCOPE_DB=f"{home}/runs.db", XDG_DATA_HOME=home, XDG_STATE_HOME=home)

    def start(self, *words):
        return subprocess.Popen([PROGRAMS / "batchscope", *words], env=self.environment, cwd=self.home, text=True,
                                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def do(self, *words, may_stop=False):
        """Returns what the command prints. One that fails ends the bench, unless it may stop its run."""
        process = self.start(*words)
        out, error = process.communicate()
        if process.returncode and not may_stop:
            sys.exit(f"batchscope {' '.join(words)}: {out}{error}")
        return out

    def ask(self, *words):
        """Returns what the command answers in JSON."""
        return json.loads(self.do(*words, "--json"))
