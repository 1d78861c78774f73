# SPDX-License-Identifier: Apache-2.0
"""A store of a test's own, and the built programs, which write it."""

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time
import unittest

from batchscope import _program


PATIENCE = 60  # s


def remove(folder):
    """Removes it. A supervisor may end, and write, a moment after its script."""
    deadline = time.monotonic() + PATIENCE
    while folder.exists():
        shutil.rmtree(folder, ignore_errors=time.monotonic() < deadline)
        time.sleep(0.01)


class WithPrograms(unittest.TestCase):
    def setUp(self):
        self.home = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(remove, self.home)
        before = dict(os.environ)
        self.addCleanup(os.environ.update, before)
        os.environ.update(BATCHSCOPE_DB=str(self.home / "runs.db"), XDG_STATE_HOME=str(self.home), PYTHON=sys.executable)

    def program(self, *arguments, code=0):
        done = subprocess.run([_program.find(), *arguments], cwd=self.home, text=True, capture_output=True, check=False)
        self.assertEqual(done.returncode, code, done.stderr)
        return done.stdout
