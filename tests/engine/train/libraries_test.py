#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""No program takes std::filesystem from LibTorch, some of whose builds bring a part of another standard library along (see
engine/train/CMakeLists.txt): the standard library is looked through before LibTorch, or what is used of it is in the program.
   libraries_test.py PROGRAM..."""

import re
import subprocess
import sys


def readelf(program, *what):
    return subprocess.run(["readelf", "--wide", *what, program], capture_output=True, text=True, check=True).stdout


for program in sys.argv[1:]:
    libraries = re.findall(r"\(NEEDED\).*\[(.+)\]", readelf(program, "--dynamic"))
    torchs = [i for i, name in enumerate(libraries) if name.startswith(("libtorch", "libc10"))]
    assert torchs, f"{program} names no LibTorch: {libraries}"
    if any(name.startswith("libstdc++") for name in libraries[: min(torchs)]):
        continue
    asked = [line for line in readelf(program, "--dyn-syms").splitlines() if " UND " in line and "St10filesystem" in line]
    assert not asked, f"{program}: {libraries} are asked in this order for {asked[0].split()[-1]} and {len(asked) - 1} more"
