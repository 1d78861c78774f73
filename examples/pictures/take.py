#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""take.py PROGRAMS [NAME...]: runs the examples in their own store and draws the window of each run into this folder.

If pngquant is installed, it makes the pictures small enough for a repository."""

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

FOLDER = pathlib.Path(__file__).resolve().parent
SIZE = "1120x700"
RUNS = {
    "linear_regression": ["--epochs", "12", "--micro-batches", "16"],
    "digits": ["--epochs", "8"],
    "cifar": ["--epochs", "3", "--width", "4", "--train-images", "2000", "--test-images", "500", "--batch-size", "32"],
    "language_model": ["--epochs", "4", "--words", "20000"],
    "recommender": ["--epochs", "6"],
    "dcgan": ["--epochs", "2", "--train-images", "2000", "--width", "8"],
    "script_model": ["--epochs", "4"],
    "plain_adascale": ["--iterations", "1000", "--accumulate", "8"],
}


def main():
    programs = pathlib.Path(sys.argv[1]).resolve()
    with tempfile.TemporaryDirectory(prefix="bs-") as home:
        environment = dict(os.environ, BATCHSCOPE_DB=f"{home}/runs.db", XDG_DATA_HOME=home, XDG_STATE_HOME=home,
                           XDG_CONFIG_HOME=home, QT_QPA_PLATFORM="offscreen", OMP_WAIT_POLICY="passive")

        def call(program, *arguments):
            subprocess.run([programs / program, *arguments], cwd=home, env=environment, check=True,
                           stdout=subprocess.DEVNULL)

        for name in sys.argv[2:] or RUNS:
            call("batchscope", "run", "--headless", name, "--name", name, "--", *RUNS[name])
            picture = FOLDER / f"{name}.png"
            call("batchscope-desktop", "--grab", picture, "--run", name, "--size", SIZE, "--theme", "light")
            if quantize := shutil.which("pngquant"):
                subprocess.run([quantize, "--force", "--output", picture, "32", picture], check=True)
            print(f"{picture} ({picture.stat().st_size // 1000} kB)", flush=True)


if __name__ == "__main__":
    main()
