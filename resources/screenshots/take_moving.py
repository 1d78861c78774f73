#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""take_moving.py PROGRAMS FILE.webp: a moving picture of the window, for the README, while a run is restarted on other replicas.

The digits example trains in a store of its own, and its supervisor restarts it at the epochs below. The window is drawn again and
again until the run has trained for some epochs more. img2webp, of Debian's webp, joins the pictures."""

import json
import pathlib
import subprocess
import sys
import tempfile
import time

from take import store

RESTARTS = {3: 2, 6: 1, 9: 2}  # epoch: replicas
READY = 12  # epochs
FRAME = 450  # ms that each picture is shown
LAST = 3000  # ms of the last one
MOST = 60  # pictures


def main():
    programs, film = (pathlib.Path(argument).resolve() for argument in sys.argv[1:3])
    with tempfile.TemporaryDirectory(prefix="bs-") as home:
        call = store(programs, home)

        def show():
            return json.loads(call("batchscope", "show", "latest", "--json"))["run"]

        triggers = [f"--at=epoch={epoch}:replicas={replicas}" for epoch, replicas in RESTARTS.items()]
        call("batchscope", "run", "digits", "--detach", "--replicas", "1", *triggers, "--", "--epochs", "40")
        pictures = []
        try:
            while len(pictures) < MOST and show()["epoch"] < READY:
                pictures.append(f"{home}/{len(pictures):03}.png")
                call("batchscope-desktop", "--run", "latest", "--theme", "dark", "--size", "1120x700", "--grab", pictures[-1])
        finally:
            supervisor = show()["supervisor"]
            call("batchscope", "stop", "latest")
            while supervisor and pathlib.Path(f"/proc/{supervisor}").exists():
                time.sleep(0.1)
        shown = [word for picture in pictures for word in ("-d", str(LAST if picture == pictures[-1] else FRAME), picture)]
        subprocess.run(["img2webp", "-loop", "0", "-lossy", "-q", "70", "-m", "6", *shown, "-o", film], check=True)
    print(f"{film} ({len(pictures)} pictures, {film.stat().st_size // 1000} kB)")


if __name__ == "__main__":
    main()
