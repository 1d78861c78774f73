# SPDX-License-Identifier: Apache-2.0
"""Stands in as the program of a run for a script without a supervisor (_alone.py): _stand_in.py SOCKET COMMAND.. It sends its own
environment to the script, which listens at SOCKET, and ends when the script does: with the script's code, or with 1 if the script was
killed and gave none. It passes a signal to stop on to the script. COMMAND is the script's own, for people who look at the run."""

import json
import os
import select
import signal
import socket
import struct
import sys

ASKED_TO_LEAVE = 143


def main():
    connection = socket.socket(socket.AF_UNIX)
    try:
        connection.connect(sys.argv[1])
    except OSError:
        sys.exit("the script of this run was not started by `batchscope run`, so it cannot be restarted from here: start the script again")
    process = struct.unpack("3i", connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, struct.calcsize("3i")))[0]
    ends = [connection]
    if hasattr(os, "pidfd_open"):  # a process forked from the script may keep the connection open
        ends.append(os.pidfd_open(process))
    asked = []

    def pass_on(number, _):
        asked.append(number)
        os.kill(process, signal.SIGTERM)

    signal.signal(signal.SIGTERM, pass_on)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the script's
    environment = {name: value for name, value in os.environ.items() if name.startswith(("ADAPTDL_", "BATCHSCOPE_"))}
    connection.sendall(json.dumps({"environment": environment}).encode() + b"\n")
    select.select(ends, [], [])
    connection.setblocking(False)
    try:
        line = connection.recv(1 << 16)
    except OSError:
        line = b""
    if asked:
        sys.exit(ASKED_TO_LEAVE)
    if not line:
        sys.exit(f"the script (process {process}) ended without reporting its end: it was killed, or it crashed")
    said = json.loads(line)
    if said["text"]:
        print(said["text"], file=sys.stderr)
    sys.exit(said["end"])


if __name__ == "__main__":
    main()
