# SPDX-License-Identifier: Apache-2.0
"""An installed archive defines directly in `batchscope` only what its headers declare there: internals have
namespaces of their own, so that a program's own `batchscope::send` would not be linked with the engine's.

    symbols_test.py PREFIX      a prefix into which the component `engine` was installed
"""

import pathlib
import re
import subprocess
import sys

ROOMS = ("goodput", "protocol", "replica", "storage", "train")  # each a namespace of its own
PUBLIC = ("checkpoint", "collective")  # that users write


def defined(archive):
    """The names of functions and data that other object files can refer to, without their parameters."""
    listing = subprocess.run(["nm", "--demangle", "--defined-only", "--extern-only", archive],
                             check=True, capture_output=True, text=True).stdout
    for line in listing.splitlines():
        if match := re.match(r"[0-9a-f]+ [TBDR] (.*)", line):
            yield re.sub(r"\[abi:\w+\]|\(.*|<.*", "", match[1])


def main(prefix):
    headers = "".join(path.read_text() for path in sorted(prefix.glob("include/batchscope/**/*.h")))
    declared = set(re.findall(r"\w+", re.sub(r"//.*", "", headers)))
    archives = sorted(prefix.glob("lib/**/libbatchscope_*.a"))
    wrong, seen = [], 0
    for archive in archives:
        for name in sorted(set(defined(archive))):
            seen += 1
            outer, *path = name.split("::")
            if path and path[0] in PUBLIC:
                path = path[1:]
            if outer != "batchscope":
                wrong.append(f"{archive.name} defines {name}, outside the namespace batchscope")
            elif path[0] not in ROOMS and path[0] not in declared:
                wrong.append(f"{archive.name} defines {name}, which no public header declares: move it into its "
                             f"room's namespace, such as batchscope::replica")
    if len(archives) < 5 or seen < 200:
        wrong.append(f"found {len(archives)} archives with {seen} names in {prefix}: not the whole engine")
    print("\n".join(wrong) or f"{seen} names in {len(archives)} archives are where they belong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1])))
