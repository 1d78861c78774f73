# SPDX-License-Identifier: Apache-2.0
"""A script with Accelerate tells its tracker, which is BatchScope's, of four steps."""
from accelerate import Accelerator

from batchscope.accelerate import BatchScopeTracker

accelerator = Accelerator(log_with=BatchScopeTracker("first", tags=["paper"]))
accelerator.init_trackers("shapes", config={"lr": 0.1, "model": {"layers": 2}})
for step in range(1, 5):
    accelerator.log({"train/loss": 1 / step, "val": {"acc": step / 10}, "text": "left out"}, step=step)
print("run", accelerator.get_tracker("batchscope", unwrap=True).id)
accelerator.end_training()
