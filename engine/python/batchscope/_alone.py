# SPDX-License-Identifier: Apache-2.0
"""Gives a script without a supervisor its own run: `python3 train.py` is then recorded as `batchscope run train.py` is. The program of
the run is a stand-in (_stand_in.py). It passes the place of its only replica on to the script, waits for the script's end, and ends
with the same code. So the run ends with the script, fails if the script was killed, and `batchscope stop` reaches the script."""

import contextlib
import json
import os
import pathlib
import shutil
import socket
import subprocess
import sys
import tempfile

from . import _place, _program

PATIENCE = 20.0  # s, for the run's first sign of life
_STAND_IN = pathlib.Path(__file__).absolute().with_name("_stand_in.py")


class Alone:
    """The script's end of the connection to its stand-in. It belongs to the process that made it, not to a process forked from that."""

    def __init__(self, connection, hello):
        self._connection = connection
        self._owner = os.getpid()
        environment = hello["environment"]
        self.run = environment["ADAPTDL_JOB_ID"]
        self.folder = environment["ADAPTDL_SHARE_PATH"]
        self.place = _place.Place(environment["BATCHSCOPE_TELEMETRY_SOCKET"], environment["BATCHSCOPE_RENDEZVOUS_DIR"], 0, 1,
                                  int(environment.get("ADAPTDL_NUM_RESTARTS", 0)))
        self.step = 0  # from which it goes on

    def end(self, code, text=""):
        """Ends the run, once. With a code other than 0 the run has failed, and the text says why."""
        if os.getpid() == self._owner and self._connection:
            with contextlib.suppress(OSError), self._connection:  # a stand-in that was killed hears nothing
                self._connection.sendall(json.dumps({"end": code, "text": text}).encode() + b"\n")
                self._connection.settimeout(PATIENCE)
                self._connection.recv(1)  # until it has ended
            self._connection = None


# Only the script itself knows how to continue, so a failure does not restart it.
_FAULTS = ("--restart-budget", "0", "--hang-timeout", "0")


def begin(name="", group="", tags=(), note=""):
    """Starts a run for this script. Throws StoreError and OSError."""
    options = ["--name", name or pathlib.Path(sys.argv[0] or "python").name, *(["--group", group] if group else []),
               *(f"--tag={tag}" for tag in tags), *(["--note", note] if note else [])]
    with tempfile.TemporaryDirectory(prefix="batchscope-") as folder:
        meeting = os.path.join(folder, "script")
        stand_in = [sys.executable, "-S", str(_STAND_IN), meeting, *sys.argv]
        return _meet(meeting, ["run", "--detach", "--json", "--device", "cpu", "--oversubscribe", "--checkpoint-every", "0", *_FAULTS,
                               *options, "--", *stand_in])


def find(tag):
    """Returns the newest unsupervised script's run that has this tag and can be continued; None if there is none. Throws StoreError."""
    listed = _program.ask("ls", "--where", f"tag='{tag}'", environment={})["runs"]
    return next((run for run in listed if run["state"] in ("failed", "stopped", "interrupted") and
                 run["spec"]["arguments"][1:2] == [str(_STAND_IN)]), None)


def resume(run):
    """Continues a run that find() has returned with this script. Throws StoreError and OSError."""
    meeting = run["spec"]["arguments"][2]
    folder = os.path.dirname(meeting)
    os.mkdir(folder, 0o700)
    try:
        alone = _meet(meeting, ["resume", run["id"], *_FAULTS, "--detach", "--json"])
    finally:
        shutil.rmtree(folder)
    alone.step = run["step"]
    return alone


def _meet(meeting, command):
    """Makes the program start a stand-in, and waits for it at this path."""
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(meeting)
        listener.listen(1)
        listener.settimeout(PATIENCE)
        with subprocess.Popen([_program.find(), *command], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              text=True) as starting:
            answer, error = starting.communicate()
        if starting.returncode != 0:
            raise _program.StoreError("failure", error.strip() or answer.strip())
        try:
            connection = listener.accept()[0]
            connection.settimeout(PATIENCE)
            hello = json.loads(connection.makefile().readline())
        except (OSError, ValueError) as reason:
            raise _program.StoreError("timeout", f"run {json.loads(answer)['run']} did not begin: {reason}") from None
    connection.settimeout(None)
    return Alone(connection, hello)
