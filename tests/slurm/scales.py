# SPDX-License-Identifier: Apache-2.0
"""A training program that only speaks: twice each second it tells its supervisor, as AdaptDL does, that it would be twice
as fast on twice the replicas. It ends by itself on two nodes, and when it is told to."""
import json
import os
import pathlib
import signal
import sys
import time
import urllib.request

SECONDS = 3  # on two nodes
HINTS = {"initBatchSize": 32, "localBszBounds": [32, 32], "globalBatchSize": None, "maxBatchSize": 1024,
         "maxProfiledReplicas": int(os.environ["ADAPTDL_NUM_REPLICAS"]), "gradientAccumulation": False,
         "gradParams": {"norm": 0.001, "var": 100.0},
         "perfParams": {"alpha_c": 0.1, "beta_c": 0.01, "alpha_n": 1e-6, "beta_n": 1e-8, "alpha_r": 1e-6, "beta_r": 1e-8, "gamma": 1.0}}


def leave(*_):
    pathlib.Path(os.environ["ADAPTDL_CHECKPOINT_PATH"], "state").write_text("none")
    sys.exit(143)


signal.signal(signal.SIGTERM, leave)
until = time.monotonic() + SECONDS if os.environ["ADAPTDL_NUM_NODES"] == "2" else float("inf")
while time.monotonic() < until:
    if os.environ["ADAPTDL_REPLICA_RANK"] == "0":
        url = f"{os.environ['ADAPTDL_SUPERVISOR_URL']}/hints/default/{os.environ['ADAPTDL_JOB_ID']}"
        urllib.request.urlopen(urllib.request.Request(url, json.dumps(HINTS).encode(), method="PUT",
                                                      headers={"Content-Type": "application/json"})).close()
    time.sleep(0.5)
