#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""wire.py FILE COMMAND ARGS..: what listens on the way to an agent. COMMAND starts the agent; whoever is told of it is told of a port
here, and FILE gets every byte that then goes over the agent's lines, either way."""
import json
import os
import socket
import subprocess
import sys
import threading


def pass_on(source, sink, record):
    try:
        while piece := source.recv(1 << 16):
            os.write(record, piece)
            sink.sendall(piece)
    except OSError:
        pass
    for line in (source, sink):
        try:
            line.shutdown(socket.SHUT_RDWR if line is source else socket.SHUT_WR)
        except OSError:
            pass


def listen(listener, agent, record):
    while True:
        near, _ = listener.accept()
        far = socket.create_connection(agent)
        for line in (near, far):
            line.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        threading.Thread(target=pass_on, args=(near, far, record), daemon=True).start()
        threading.Thread(target=pass_on, args=(far, near, record), daemon=True).start()


def main():
    record = os.open(sys.argv[1], os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    agent = subprocess.Popen(sys.argv[2:], stdout=subprocess.PIPE)  # standard input is the agent's alone
    line = agent.stdout.readline()
    if line:
        offer = json.loads(line)
        listener = socket.create_server((offer["address"], 0))
        there = (offer["address"], offer["port"])
        offer["port"] = listener.getsockname()[1]
        print(json.dumps(offer), flush=True)
        threading.Thread(target=listen, args=(listener, there, record), daemon=True).start()
    sys.exit(agent.wait())


main()
