#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The standard library is looked through before LibTorch, some of whose builds bring a part of another one along (see
engine/train/CMakeLists.txt).   libraries_test.py PROGRAM..."""

import re
import subprocess
import sys

for program in sys.argv[1:]:
    told = subprocess.run(["readelf", "--dynamic", program], capture_output=True, text=True, check=True).stdout
    libraries = re.findall(r"\(NEEDED\).*\[(.+)\]", told)
    ours = next((i for i, name in enumerate(libraries) if name.startswith("libstdc++")), None)
    assert ours is not None, f"{program} names no libstdc++ of its own: {libraries}"
    torchs = [i for i, name in enumerate(libraries) if name.startswith(("libtorch", "libc10"))]
    assert torchs and ours < min(torchs), f"{program}: {libraries}"
