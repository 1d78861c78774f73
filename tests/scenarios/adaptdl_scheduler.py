#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A program on our engine that AdaptDL's scheduler runs, not ours: its replicas ask the scheduler where rank 0 is, it tells
the scheduler its sched hints, in AdaptDL's form and at the URL that the environment names, and on SIGTERM it checkpoints and
exits 143 as a scheduler expects."""

import http.server
import json
import os
import pathlib
import queue
import signal
import socket
import subprocess
import sys
import tempfile
import threading

PATIENCE = 240  # s
REPLICAS = 2
PERF_PARAMS = {"alpha_c", "beta_c", "alpha_n", "beta_n", "alpha_r", "beta_r", "gamma"}


class Scheduler(http.server.ThreadingHTTPServer):
    def __init__(self):
        super().__init__(("127.0.0.1", 0), Handler)
        self.hints = queue.Queue()
        self.discoveries = queue.Queue()


class Handler(http.server.BaseHTTPRequestHandler):
    def do_PUT(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.send_response(200)
        self.end_headers()
        self.server.hints.put((self.path, json.loads(body)))

    def do_GET(self):
        self.server.discoveries.put(self.path)
        known = self.server.discoveries.qsize() > REPLICAS  # at first it has not started them all
        self.send_response(200 if known else 408)
        self.end_headers()
        if known:
            self.wfile.write(json.dumps(["127.0.0.1"] * REPLICAS).encode())

    def log_message(self, *_):
        pass


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as server:
        return server.getsockname()[1]


def main():
    programs = pathlib.Path(sys.argv[1]).resolve()
    with Scheduler() as scheduler, tempfile.TemporaryDirectory(prefix="scheduler-") as home:
        threading.Thread(target=scheduler.serve_forever, daemon=True).start()
        checkpoints = pathlib.Path(home, "checkpoints")
        # A scheduler's own variables, and none of a supervisor's of ours.
        environment = {name: value for name, value in os.environ.items() if not name.startswith(("ADAPTDL_", "BATCHSCOPE_"))}
        environment.update(ADAPTDL_SUPERVISOR_URL=f"http://127.0.0.1:{scheduler.server_port}", ADAPTDL_JOB_ID="default/job",
                           ADAPTDL_CHECKPOINT_PATH=str(checkpoints), ADAPTDL_NUM_REPLICAS=str(REPLICAS),
                           ADAPTDL_MASTER_PORT=str(free_port()), ADAPTDL_NUM_RESTARTS="5", ADAPTDL_SCHED_VERSION="0.2.11",
                           BATCHSCOPE_THREADS="1")
        replicas = [subprocess.Popen([programs / "stumble", "--max-batch-size", "256", "--epochs", "100000"],
                                     env=environment | {"ADAPTDL_REPLICA_RANK": str(rank)}, cwd=home)
                    for rank in range(REPLICAS)]
        try:
            path, hints = scheduler.hints.get(timeout=PATIENCE)
            assert path == "/hints/default/job", path
            assert hints["initBatchSize"] == 32 and hints["maxBatchSize"] == 256, hints
            assert hints["localBszBounds"] == [1, 256], hints  # the program has set none
            assert hints["maxProfiledReplicas"] == REPLICAS, hints
            assert set(hints["perfParams"]) == PERF_PARAMS, hints
            assert set(hints["gradParams"]) == {"norm", "var"} and hints["gradParams"]["var"] > 0, hints
            asked = list(scheduler.discoveries.queue)
            assert len(asked) > REPLICAS and set(asked) == {"/discover/default/job/5"}, asked
            for program in replicas:
                program.send_signal(signal.SIGTERM)
            codes = [program.wait(timeout=PATIENCE) for program in replicas]
            assert codes == [143] * REPLICAS, codes
            assert any(checkpoints.rglob("manifest.json")), list(checkpoints.rglob("*"))
        finally:
            for program in replicas:
                program.kill()
                program.wait()
            scheduler.shutdown()


if __name__ == "__main__":
    main()
