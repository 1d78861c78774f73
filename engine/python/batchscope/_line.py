# SPDX-License-Identifier: Apache-2.0
"""The line to the supervisor: what is told waits in a bounded queue, from which a thread of its own sends it, ten times a
second (the messages are those of protocol/telemetry.h, one JSON object a line). So nothing that a supervisor does or fails
to do holds the script up; steps for which the queue has no room are counted, and the next message says how many."""

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
GOODBYE = 2.0  # s, that the script's end waits for a supervisor that does not read
ROOM = 20_000  # steps that wait
MOST_ROWS = 1_000  # in one message, whose length the supervisor bounds


def number(value):
    """Returns a number as the messages have it: JSON knows neither NaN nor infinity."""
    value = float(value)
    if math.isfinite(value):
        return value
    return "nan" if math.isnan(value) else "inf" if value > 0 else "-inf"


def pack(rows, dropped):
    """Rows (step, values by name) of consecutive steps as messages: a name that every row has becomes a column of one of
    them, a value that did not come with every step a scalar of its own."""
    names = set(rows[0][1]).intersection(*(values for _, values in rows))
    columns = {name: [number(values[name]) for _, values in rows] for name in names}
    yield {"type": "steps", "first_step": rows[0][0], "columns": columns, "dropped": dropped}
    for step, values in rows:
        if len(values) > len(names):
            yield from ({"type": "scalar", "name": name, "step": step, "value": value, "mono": values["mono"]}
                        for name, value in values.items() if name not in names)


def encode(message):
    """One line of it."""
    plain = {name: number(value) if isinstance(value, float) or name == "value" else value for name, value in message.items()}
    return json.dumps(plain, separators=(",", ":")).encode() + b"\n"


def claim(place):
    """Whether this process is the one that speaks for its replica: the first of those that its script has started. The
    lock is the process's own, so that no process forked from it holds it, and another may speak when it has ended."""
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
    """Not open at first: what is told before waits for open()."""

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
            self._queue_position()  # which comes before what ends its epoch, and behind what began it
            self._queue.append({"type": kind, **fields})

    def send_row(self, step, values):
        """Sends the row of a finished step, with "mono" among the values; they may be tensors of a GPU, which the thread
        waits for."""
        if self._lost:
            return
        if len(self._queue) < ROOM:
            self._queue.append((step, values))
        else:
            self._dropped += 1

    def send_position(self, **fields):
        """Only the newest is told, ten times a second."""
        self._position = {"type": "position", **fields}

    def _queue_position(self):
        position, self._position = self._position, None
        if position:
            self._queue.append(position)

    def open(self, **hello):
        """Says hello before anything that waits; whether it does so now. Where another process speaks for the replica, or the
        supervisor is gone, all that was and will be told is thrown away."""
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
        """Something was told, and the line was never opened."""
        return not self._thread and not self._lost and bool(self._queue)

    def close(self):
        """Waits for what was told to be sent, but for no longer than two seconds."""
        self._ending.set()
        if self._thread:
            self._thread.join(GOODBYE)
            if not self._thread.is_alive():
                self._socket.close()

    def abandon(self):
        """Gives the line up in a process forked from the line's own: it is the parent's."""
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
