#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Lets fuzz targets search, two at a time, and share the time among them.

  search.py FOLDER [TARGET...] --seconds N [--seed N]

FOLDER is the build of tests/fuzz. What they learn stays in its corpus, what they find is FOLDER/found-TARGET-*.
"""

import argparse
import concurrent.futures
import pathlib
import subprocess
import sys

SEEDS = pathlib.Path(__file__).resolve().parent / "seeds"
AT_A_TIME = 2


def search(folder, target, seconds, seed):
    """Returns what the target printed, and whether it found nothing."""
    corpus = folder / "corpus" / target
    corpus.mkdir(parents=True, exist_ok=True)
    ended = subprocess.run(
        [folder / "bin" / f"fuzz_{target}", f"-max_total_time={seconds}", f"-seed={seed}", "-max_len=4096", "-timeout=10",
         "-print_final_stats=1", f"-artifact_prefix={folder}/found-{target}-", corpus, SEEDS / target],
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace")
    return ended.stdout, ended.returncode == 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--seconds", type=float, required=True, help="for all of them together")
    parser.add_argument("--seed", type=int, default=0, help="0: another one each time")
    parser.add_argument("targets", nargs="*", help="all if none is said")
    options = parser.parse_args()
    folder = options.folder.resolve()
    targets = options.targets or sorted(file.name.removeprefix("fuzz_") for file in (folder / "bin").glob("fuzz_*"))
    if not targets:
        sys.exit(f"{folder} has no fuzz targets: are clang and its libFuzzer there?")
    rounds = -(-len(targets) // AT_A_TIME)
    each = max(1, round(options.seconds / rounds))
    well = True
    with concurrent.futures.ThreadPoolExecutor(AT_A_TIME) as pool:
        searches = {target: pool.submit(search, folder, target, each, options.seed) for target in targets}
        for target, found in searches.items():
            output, nothing = found.result()
            well &= nothing
            tail = output.splitlines()[-12:] if nothing else output.splitlines()[-60:]
            print(f"--- {target}, {each} s: {'nothing found' if nothing else 'FOUND'}", *tail, sep="\n", flush=True)
    sys.exit(0 if well else 1)


if __name__ == "__main__":
    main()
