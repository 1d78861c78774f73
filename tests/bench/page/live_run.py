# SPDX-License-Identifier: Apache-2.0
"""Makes the steps of a training that computes nothing, so many a second, each with a line of output: what bench_page_memory watches."""
import math
import os
import time

import batchscope

RATE, STEPS = float(os.environ["RATE"]), int(os.environ["STEPS"])
NOTICE = 300  # steps between two events

began = time.monotonic()
for step in range(1, STEPS + 1):
    time.sleep(max(0.0, began + step / RATE - time.monotonic()))
    done = step / 500
    batchscope.step(loss=2 / (1 + done) + 0.05 * math.sin(step), batch_size=64, lr=0.1 / (1 + done),
                    gain=1 + 0.4 * math.tanh(done), accuracy=1 - 1 / (1 + done))
    print(f"step {step}: loss {2 / (1 + done):.4f}", flush=True)
    if step % NOTICE == 0:
        batchscope.notice(f"step {step} is done")
while True:  # until it is stopped
    time.sleep(1)
