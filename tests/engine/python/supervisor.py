# SPDX-License-Identifier: Apache-2.0
"""A supervisor as a script sees it: a socket to which it tells, and variables in its environment."""

import json
import os
import pathlib
import socket
import subprocess
import sys
import tempfile
import textwrap
import threading
import unittest

PACKAGE = pathlib.Path(__file__).resolve().parents[3] / "engine/python"


class Supervised(unittest.TestCase):
    def setUp(self):
        home = tempfile.TemporaryDirectory()
        self.addCleanup(home.cleanup)
        self.home = pathlib.Path(home.name)
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(str(self.home / "socket"))
        self.listener.listen()
        self.reads = threading.Event()  # cleared: it takes connections, and nothing from them
        self.reads.set()
        self.caught_up = threading.Event()
        self.lines, self.readers, self.connections = [], [], []
        self.accepting = threading.Thread(target=self._accept, daemon=True)
        self.accepting.start()
        self.addCleanup(self._stop_listening)

    def _stop_listening(self):
        """Ends the thread before the socket is closed: the next test's socket may get the same number, and be taken for this one."""
        self.listener.shutdown(socket.SHUT_RDWR)
        self.accepting.join()
        self.listener.close()

    def _accept(self):
        while True:
            try:
                connection, address = self.listener.accept()
            except OSError:  # the test is over
                return
            if address:  # the test's own, behind those of its scripts
                connection.close()
                self.caught_up.set()
                continue
            self.connections.append(connection)
            self.readers.append(threading.Thread(target=self._read, args=(connection,), daemon=True))
            self.readers[-1].start()

    def _read(self, connection):
        with connection, connection.makefile("rb") as lines:
            while self.reads.wait() and (line := lines.readline()):
                self.lines.append(line)

    def _catch_up(self):
        """Takes the connections that scripts have made."""
        self.caught_up.clear()
        with socket.socket(socket.AF_UNIX) as last:
            last.bind(str(self.home / "last"))
            last.connect(str(self.home / "socket"))
            self.caught_up.wait()
        (self.home / "last").unlink()

    def hang_up(self):
        for connection in self.connections:
            connection.shutdown(socket.SHUT_RDWR)

    def start(self, script, *path, rank=0, supervised=True, **variables):
        """A script with the package, and with what is in these folders."""
        environment = {name: value for name, value in os.environ.items() if not name.startswith(("BATCHSCOPE_", "ADAPTDL_"))}
        environment.update(PYTHONPATH=":".join(map(str, [*path, PACKAGE])), PYTHONDONTWRITEBYTECODE="1")
        if supervised:
            environment.update(BATCHSCOPE_TELEMETRY_SOCKET=str(self.home / "socket"), BATCHSCOPE_RENDEZVOUS_DIR=str(self.home),
                               ADAPTDL_REPLICA_RANK=str(rank), ADAPTDL_NUM_REPLICAS="2", ADAPTDL_NUM_RESTARTS="3")
        file = self.home / "script.py"
        file.write_text(textwrap.dedent(script))
        return subprocess.Popen([sys.executable, str(file)], env={**environment, **variables}, cwd=self.home, text=True,
                                stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)

    def run_script(self, script, *path, **more):
        """Runs a script, which must end well, and returns its output. All that it told has been heard then."""
        process = self.start(script, *path, **more)
        printed, _ = process.communicate()
        self.assertEqual(process.returncode, 0, printed)
        self._catch_up()
        for reader in self.readers:
            reader.join()
        return printed

    def told(self, kind):
        """The messages of a kind, in order."""
        return [message for message in map(json.loads, self.lines) if message["type"] == kind]

    def series(self, name):
        """Step -> value, of columns and scalars together."""
        values = {message["step"]: message["value"] for message in self.told("scalar") if message["name"] == name}
        for message in self.told("steps"):
            values.update(enumerate(message["columns"].get(name, []), message["first_step"]))
        return dict(sorted(values.items()))
