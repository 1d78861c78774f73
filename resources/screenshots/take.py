#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""take.py PROGRAMS FOLDER: draws the window's pictures, those of a run while it trains; README.md there shows them.

The digits example starts on 1 replica in a store of its own and is restarted on 2, 1 and 2. Once it has trained for a
few epochs more, batchscope-screenshots draws its story and all pages, sheets and dialogs of the window; then the run is
stopped. The page of sweeps shows the sweep of sweep.toml, which is trained in another store. Where pngquant is installed, it makes the pictures fit to be kept in a repository.
"""

import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

REPLICAS = "1"
RESTARTS = {2: 2, 9: 1, 11: 2}  # epoch: replicas
READY = 16  # epochs
EPOCHS = "400"  # more than the pictures take
SWEEP = pathlib.Path(__file__).resolve().with_name("sweep.toml")
PATIENCE = 900  # s, on a machine that has much else to do


def store(programs, home):
    """Returns a function that calls our programs in a store of its own there."""
    # Threads that wait in a loop would starve one another where other work wants the cores too.
    environment = dict(os.environ, BATCHSCOPE_DB=f"{home}/runs.db", XDG_DATA_HOME=home, XDG_STATE_HOME=home,
                       XDG_CONFIG_HOME=home, OMP_WAIT_POLICY="passive")

    def call(program, *arguments):
        done = subprocess.run([programs / program, *arguments], cwd=home, env=environment, text=True,
                              capture_output=True)
        if done.returncode != 0:
            sys.exit(f"take.py: {program} {arguments[0]} failed: {done.stderr}")
        return done.stdout

    return call


def take_sweep(programs, folder):
    with tempfile.TemporaryDirectory(prefix="bs-") as home:
        call = store(programs, home)
        call("batchscope", "sweep", "run", SWEEP, "--headless")
        call("batchscope-screenshots", folder)


def main():
    programs, folder = (pathlib.Path(argument).resolve() for argument in sys.argv[1:3])
    take_sweep(programs, folder)
    with tempfile.TemporaryDirectory(prefix="bs-") as home:
        call = store(programs, home)

        def show():
            return json.loads(call("batchscope", "show", "digits", "--json"))

        def finish(pictures):
            for picture in pictures:
                if quantize := shutil.which("pngquant"):
                    subprocess.run([quantize, "--force", "--output", picture, picture], check=True)
                print(f"{picture} ({picture.stat().st_size // 1000} kB)")

        call("batchscope-screenshots", folder)  # without a run
        triggers = [f"--at=epoch={epoch}:replicas={replicas}" for epoch, replicas in RESTARTS.items()]
        call("batchscope", "run", "digits", "--detach", "--name", "digits", "--replicas", REPLICAS, *triggers,
             "--", "--epochs", EPOCHS)
        try:
            deadline = time.monotonic() + PATIENCE
            while (seen := show()["run"])["epoch"] < READY:
                if time.monotonic() > deadline or seen["state"] in ("failed", "finished", "stopped", "interrupted"):
                    sys.exit(f"take.py: the run is {seen['state']} in epoch {seen['epoch']}, not training in {READY}: "
                             f"{seen['message']}")
                print(f"\rtraining until epoch {READY}: {seen['epoch']} ", end="", file=sys.stderr, flush=True)
                time.sleep(0.5)
            print(file=sys.stderr)
            call("batchscope-screenshots", folder)
            finish(sorted(folder.glob("*.png")))
        finally:
            supervisor = show()["run"]["supervisor"]
            call("batchscope", "stop", "digits")
            while supervisor and pathlib.Path(f"/proc/{supervisor}").exists():
                time.sleep(0.1)


if __name__ == "__main__":
    main()
