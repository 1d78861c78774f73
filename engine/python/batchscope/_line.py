# SPDX-License-Identifier: Apache-2.0
"""The line to the supervisor. Messages wait in a bounded queue, and a thread sends them ten times a second (those of
protocol/telemetry.h, one JSON object in each line). So the script never waits for the supervisor. Steps for which the queue
has no room are counted, and the next message reports their number."""

import collections
import fcntl
import json
import math
import os
import signal
import socket
import sys
import threading
import time

INTERVAL = 0.1  # s, between two messages of steps
GOODBYE = 2.0  # s for which the script's end waits for a supervisor that does not read
ROOM = 20_000  # steps in the queue
MOST_ROWS = 1_000  # in one message: the supervisor limits its length


def number(value):
    """Returns a number in the form of the messages: JSON has no NaN or infinity."""
    value = float(value)
    if math.isfinite(value):
        return value
    return "nan" if math.isnan(value) else "inf" if value > 0 else "-inf"


def pack(rows, dropped):
    """Yields rows (step, values by name) of consecutive steps as messages. A name that every row has becomes a column of one
    message; any other value becomes a message of its own."""
    names = set(rows[0][1]).intersection(*(values for _, values in rows))
    columns = {name: [number(values[name]) for _, values in rows] for name in names}
    yield {"type": "steps", "first_step": rows[0][0], "columns": columns, "dropped": dropped}
    for step, values in rows:
        if len(values) > len(names):
            yield from ({"type": "scalar", "name": name, "step": step, "value": value, "mono": values["mono"]}
                        for name, value in values.items() if name not in names)


def encode(message):
    """Returns the message as a line."""
    plain = {name: number(value) if isinstance(value, float) or name == "value" else value for name, value in message.items()}
    return json.dumps(plain, separators=(",", ":")).encode() + b"\n"


def claim(place):
    """Returns whether this process speaks for its replica: it is the first of the script's processes. A process forked from it
    does not hold the lock, and another process may speak when this one has ended."""
    if not place.meeting:
        return True
    file = os.open(os.path.join(place.meeting, f"telemetry-{place.rank}"), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(file)
        return False
    return True  # and the file stays open


class Line:
    """Not open at first: earlier messages wait for open()."""

    def __init__(self, place):
        self._place = place
        self._queue = collections.deque()  # messages, and rows as pairs
        self._position = None
        self._dropped = 0
        self._socket = self._thread = None
        self._ending = threading.Event()
        self._lost = False

    def send(self, kind, **fields):
        if not self._lost and len(self._queue) < 2 * ROOM:
            self._queue_position()  # after the beginning of its epoch, and before the end
            self._queue.append({"type": kind, **fields})

    def send_row(self, step, values):
        """Sends the row of a finished step, with "mono" among the values. Values may be tensors on a GPU, for which only the
        thread waits."""
        if self._lost:
            return
        if len(self._queue) < ROOM:
            self._queue.append((step, values))
        else:
            self._dropped += 1

    def send_position(self, **fields):
        """Sends a position. Only the newest one is sent, ten times a second."""
        self._position = {"type": "position", **fields}

    def _queue_position(self):
        position, self._position = self._position, None
        if position:
            self._queue.append(position)

    def open(self, **hello):
        """Sends hello before the messages that wait, and returns whether this call did so. If another process speaks for the
        replica, or the supervisor is gone, all messages are dropped from now on."""
        if self._thread or self._lost:
            return False
        place = self._place
        try:
            if not claim(place):
                self._lose()
                return False
            self._socket = socket.socket(socket.AF_UNIX)
            self._socket.connect(place.socket)
            now = time.monotonic()
            self._socket.sendall(encode({"type": "hello", "version": 1, "rank": place.rank, "generation": place.generation,
                                         "pid": os.getpid(), "heartbeats": False, "checkpoints": False, "started": now,
                                         "mono": now, **hello}))
        except OSError as error:
            print(f"batchscope: cannot reach the supervisor, nothing is recorded: {error}", file=sys.stderr)
            self._lose()
            return False
        self._thread = threading.Thread(target=self._run, name="batchscope", daemon=True)
        self._thread.start()
        return True

    @property
    def waits(self):
        """Whether messages wait, and the line was never opened."""
        return not self._thread and not self._lost and bool(self._queue)

    def close(self):
        """Waits until all messages are sent, but at most two seconds."""
        self._ending.set()
        if self._thread:
            self._thread.join(GOODBYE)
            if not self._thread.is_alive():
                self._socket.close()

    def abandon(self):
        """Gives the line up in a forked process: it belongs to the parent."""
        self._lose()
        if self._socket:
            self._socket.close()

    def _lose(self):
        self._lost = True
        self._queue.clear()

    def _run(self):
        signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())  # they are for the script's own threads
        ending = False
        while not self._lost and not ending:
            ending = self._ending.wait(INTERVAL)
            try:
                # Sends at once: each call gives the interpreter's lock away, and waits for it afterwards.
                self._socket.sendall(b"".join(map(encode, self._take())))
            except OSError:
                self._lose()

    def _take(self):
        self._queue_position()
        rows = []
        for _ in range(len(self._queue)):
            item = self._queue.popleft()
            is_row = isinstance(item, tuple)
            if rows and (not is_row or item[0] != rows[-1][0] + 1 or len(rows) == MOST_ROWS):
                yield from pack(rows, self._dropped)
                rows = []
            if is_row:
                rows.append(item)
            else:
                yield item
        if rows:
            yield from pack(rows, self._dropped)
