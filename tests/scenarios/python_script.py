#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A script of one's own that is charted by the package `batchscope`, and writes its own checkpoint when it is asked to leave:
python_script.py EPOCHS SECONDS-OF-A-STEP."""

import json
import os
import pathlib
import signal
import sys
import time

import batchscope

CHECKPOINT = pathlib.Path(os.environ["ADAPTDL_CHECKPOINT_PATH"]) / "mine.json"
STEPS = 20  # of an epoch


def main():
    asked = []
    signal.signal(signal.SIGTERM, lambda *_: asked.append(True))
    epochs, seconds = int(sys.argv[1]), float(sys.argv[2])
    state = json.loads(CHECKPOINT.read_text()) if CHECKPOINT.exists() else {"step": 0, "loss": 1.0}
    batchscope.restored(state["step"])
    batchscope.hyperparameters(epochs=epochs, lr=0.1)
    for epoch in batchscope.epochs(epochs, first=state["step"] // STEPS):
        for batch in batchscope.batches(range(STEPS - state["step"] % STEPS)):
            time.sleep(seconds)
            state = {"step": state["step"] + 1, "loss": state["loss"] * 0.99}
            batchscope.step(loss=state["loss"], batch_size=32, lr=0.1)
            if asked:
                if os.environ["ADAPTDL_REPLICA_RANK"] == "0":
                    CHECKPOINT.with_suffix(".new").write_text(json.dumps(state))
                    CHECKPOINT.with_suffix(".new").rename(CHECKPOINT)
                sys.exit(143)
        batchscope.record(accuracy=1 - state["loss"], smoothness=epoch)
    batchscope.notice("all epochs are done")


if __name__ == "__main__":
    main()
