#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A program on our engine that AdaptDL's scheduler runs, not ours: it tells the scheduler its sched hints, in AdaptDL's
form and at the URL that the environment names, and on SIGTERM it checkpoints and exits 143 as a scheduler expects."""

import http.server
import json
import os
import pathlib
import queue
import signal
import subprocess
import sys
import tempfile
import threading

PATIENCE = 240  # s
PERF_PARAMS = {"alpha_c", "beta_c", "alpha_n", "beta_n", "alpha_r", "beta_r", "gamma"}


class Scheduler(http.server.ThreadingHTTPServer):
    def __init__(self):
        super().__init__(("127.0.0.1", 0), Handler)
        self.hints = queue.Queue()


class Handler(http.server.BaseHTTPRequestHandler):
    def do_PUT(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.send_response(200)
        self.end_headers()
        self.server.hints.put((self.path, json.loads(body)))

    def log_message(self, *_):
        pass


def main():
    programs = pathlib.Path(sys.argv[1]).resolve()
    with Scheduler() as scheduler, tempfile.TemporaryDirectory(prefix="scheduler-") as home:
        threading.Thread(target=scheduler.serve_forever, daemon=True).start()
        checkpoints = pathlib.Path(home, "checkpoints")
        # A scheduler's own variables, and none of a supervisor's of ours.
        environment = {name: value for name, value in os.environ.items() if not name.startswith(("ADAPTDL_", "BATCHSCOPE_"))}
        environment.update(ADAPTDL_SUPERVISOR_URL=f"http://127.0.0.1:{scheduler.server_port}", ADAPTDL_JOB_ID="default/job",
                           ADAPTDL_CHECKPOINT_PATH=str(checkpoints), ADAPTDL_NUM_REPLICAS="1", ADAPTDL_REPLICA_RANK="0",
                           ADAPTDL_SCHED_VERSION="99.0.0")  # whatever it is
        program = subprocess.Popen([programs / "stumble", "--max-batch-size", "256", "--epochs", "100000"],
                                   env=environment, cwd=home)
        try:
            path, hints = scheduler.hints.get(timeout=PATIENCE)
            assert path == "/hints/default/job", path
            assert hints["initBatchSize"] == 32 and hints["maxBatchSize"] == 256, hints
            assert hints["localBszBounds"] == [1, 256], hints  # the program has set none
            assert hints["maxProfiledReplicas"] == 1, hints
            assert set(hints["perfParams"]) == PERF_PARAMS, hints
            assert set(hints["gradParams"]) == {"norm", "var"} and hints["gradParams"]["var"] > 0, hints
            program.send_signal(signal.SIGTERM)
            code = program.wait(timeout=PATIENCE)
            assert code == 143, code
            assert any(checkpoints.rglob("manifest.json")), list(checkpoints.rglob("*"))
        finally:
            program.kill()
            program.wait()
            scheduler.shutdown()


if __name__ == "__main__":
    main()
