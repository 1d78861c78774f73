#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A program on our engine that AdaptDL's scheduler runs, not ours: its replicas ask the scheduler where rank 0 is, it tells
the scheduler its sched hints, in AdaptDL's form and at the URL that the environment names, and on SIGTERM it checkpoints and
exits 143 as a scheduler expects. Where AdaptDL's own scheduler lies beside the project (shared/peer), it takes the hints, of a
job whose batch size is fixed, too."""

import contextlib
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

PEER = pathlib.Path(__file__).resolve().parents[3] / "shared/peer"
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


def start(programs, scheduler, home, *options):
    """Starts the replicas of a job with a scheduler's own variables, and none of a supervisor's of ours."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("ADAPTDL_", "BATCHSCOPE_"))}
    environment.update(ADAPTDL_SUPERVISOR_URL=f"http://127.0.0.1:{scheduler.server_port}", ADAPTDL_JOB_ID="default/job",
                       ADAPTDL_CHECKPOINT_PATH=str(home / "checkpoints"), ADAPTDL_NUM_REPLICAS=str(REPLICAS),
                       ADAPTDL_MASTER_PORT=str(free_port()), ADAPTDL_NUM_RESTARTS="5", ADAPTDL_SCHED_VERSION="0.2.11",
                       BATCHSCOPE_THREADS="1")
    return [subprocess.Popen([programs / "stumble", "--epochs", "100000", *options],
                             env=environment | {"ADAPTDL_REPLICA_RANK": str(rank)}, cwd=home) for rank in range(REPLICAS)]


@contextlib.contextmanager
def job(programs, *options):
    """A job under a scheduler of its own: the scheduler, the replicas, the folder of the checkpoints."""
    with Scheduler() as scheduler, tempfile.TemporaryDirectory(prefix="scheduler-") as home:
        threading.Thread(target=scheduler.serve_forever, daemon=True).start()
        replicas = start(programs, scheduler, pathlib.Path(home), *options)
        try:
            yield scheduler, replicas, pathlib.Path(home, "checkpoints")
        finally:
            for program in replicas:
                program.kill()
                program.wait()
            scheduler.shutdown()


# As AdaptDLAllocator._get_job_info has it, which needs Kubernetes to be imported. Its patch of the job's status drops nulls.
SPEEDUP = """
import json, sys
from adaptdl.goodput import GoodputFunction, GradParams, PerfParams
from adaptdl_sched.policy.speedup import SpeedupFunction
hints = {name: hint for name, hint in json.load(sys.stdin).items() if hint is not None}
perf = PerfParams(*[hints["perfParams"][name] for name in PerfParams._fields])
grad = GradParams(hints["gradParams"]["norm"], hints["gradParams"]["var"])
speedup = SpeedupFunction(GoodputFunction(perf, grad, hints["initBatchSize"]), hints.get("maxBatchSize"),
                          hints.get("localBszBounds"), hints.get("gradientAccumulation", False))
assert speedup(1, 1) == 1 and speedup(1, 2) > 0, (speedup(1, 1), speedup(1, 2))
"""


def check_speedup(hints):
    """Hands the hints to AdaptDL's own function of speed-up, where it is there."""
    if not PEER.is_dir():
        print(f"AdaptDL's scheduler is not at {PEER}: the hints are not given to it")
        return
    folders = (PEER / name for name in ("sched", "adaptdl", "autograd", "shims"))
    environment = dict(os.environ, PYTHONPATH=os.pathsep.join(map(str, folders)), PYTHONDONTWRITEBYTECODE="1")
    subprocess.run(["/usr/bin/python3", "-c", SPEEDUP], input=json.dumps(hints), text=True, env=environment, check=True)


def main():
    programs = pathlib.Path(sys.argv[1]).resolve()
    with job(programs, "--max-batch-size", "256") as (scheduler, replicas, checkpoints):
        path, hints = scheduler.hints.get(timeout=PATIENCE)
        assert path == "/hints/default/job", path
        assert hints["initBatchSize"] == 32 and hints["maxBatchSize"] == 256, hints
        assert hints["localBszBounds"] == [1, 256], hints  # the program has set none
        assert hints["maxProfiledReplicas"] == REPLICAS, hints
        assert set(hints["perfParams"]) == PERF_PARAMS, hints
        assert set(hints["gradParams"]) == {"norm", "var"} and hints["gradParams"]["var"] > 0, hints
        check_speedup(hints)
        asked = list(scheduler.discoveries.queue)
        assert len(asked) > REPLICAS and set(asked) == {"/discover/default/job/5"}, asked
        for program in replicas:
            program.send_signal(signal.SIGTERM)
        codes = [program.wait(timeout=PATIENCE) for program in replicas]
        assert codes == [143] * REPLICAS, codes
        assert any(checkpoints.rglob("manifest.json")), list(checkpoints.rglob("*"))
    with job(programs) as (scheduler, _, _):
        _, hints = scheduler.hints.get(timeout=PATIENCE)
        assert hints["initBatchSize"] == 32 and hints["maxBatchSize"] is None, hints
        check_speedup(hints)


if __name__ == "__main__":
    main()
