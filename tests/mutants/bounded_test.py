#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The bounds that tools/bounded.py sets to what a command's processes do."""

import os
import pathlib
import signal
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "tools"))
from bounded import MOST_PROCESSES, prefix, run  # noqa: E402

# Each process becomes its own session's, as a daemon does, and sleeps. More than twice the bound are never made.
FORKS = """
import os, sys, time
for _ in range(int(sys.argv[1])):
    if os.fork() == 0:
        os.setsid()
        time.sleep(600)
print("made", flush=True)
"""
needs_namespace = unittest.skipUnless(prefix(), "no process namespace can be made here")


def python(text, *arguments):
    return [sys.executable, "-c", text, *arguments]


def living(mark):
    """Returns the processes that have a text in their command line."""
    found = []
    for path in pathlib.Path("/proc").glob("[0-9]*/cmdline"):
        try:
            found += [path.parent.name] if mark.encode() in path.read_bytes() else []
        except OSError:  # it has ended
            continue
    return found


class Bounded(unittest.TestCase):
    def test_a_command_has_its_output_code_and_variables(self):
        done = run(["sh", "-c", "echo $WORD; echo bad >&2; exit 3"], variables={"WORD": "good"})
        self.assertEqual((done.returncode, done.stdout, done.stderr), (3, "good\n", "bad\n"))

    def test_a_loop_without_end_is_ended(self):
        self.assertNotEqual(run(python("while True: pass"), limit=1).returncode, 0)

    def test_memory_without_end_is_refused(self):
        done = run(python("bytearray(1 << 40)"))
        self.assertIn("MemoryError", done.stderr)

    @needs_namespace
    def test_forks_without_end_are_ended_whole(self):
        mark = f"bomb-of-{os.getpid()}"
        done = run(python(FORKS + "time.sleep(600)", str(2 * MOST_PROCESSES), mark))
        self.assertEqual(done.returncode, -signal.SIGKILL)
        self.assertEqual(living(mark), [])

    @needs_namespace
    def test_what_outlives_a_command_ends_with_it(self):
        mark = f"orphan-of-{os.getpid()}"
        done = run(python(FORKS, "3", mark))
        self.assertEqual((done.returncode, done.stdout), (0, "made\n"))
        self.assertEqual(living(mark), [])


if __name__ == "__main__":
    unittest.main()
