#!python
# SPDX-License-Identifier: Apache-2.0
"""The command `batchscope` of a wheel becomes the program inside the package; pip writes its interpreter into the first line. Scripts
run by that interpreter, unless PYTHON names another. Importing the package to find it would take longer than the program does."""
import os
import sys

for folder in sys.path:
    program = os.path.join(folder, "batchscope/_installed/bin/batchscope")
    if os.path.isfile(program):
        os.environ.setdefault("PYTHON", sys.executable)
        os.execv(program, [program, *sys.argv[1:]])
sys.exit(f"batchscope: {sys.executable} does not find the package batchscope: install its wheel again")
