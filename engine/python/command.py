#!python
# SPDX-License-Identifier: Apache-2.0
"""The command `batchscope` of a wheel starts the program inside the package. pip writes its interpreter into the first line, and scripts
run by that interpreter, unless PYTHON names another. Importing the package to find the program would take longer than the program."""
import os
import sys

for folder in sys.path:
    program = os.path.join(folder, "batchscope/_installed/bin/batchscope")
    if os.path.isfile(program):
        os.environ.setdefault("PYTHON", sys.executable)
        os.execv(program, [program, *sys.argv[1:]])
sys.exit(f"batchscope: {sys.executable} does not find the package batchscope: install its wheel again")
