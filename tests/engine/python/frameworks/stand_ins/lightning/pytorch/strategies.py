# SPDX-License-Identifier: Apache-2.0
"""DDPStrategy, as far as a subclass of it sees Lightning 2."""
import os

import torch
from torch import distributed


class DDPStrategy:
    def __init__(self, *, parallel_devices=None, process_group_backend=None):
        self.parallel_devices = parallel_devices
        self.num_processes = len(parallel_devices or [torch.device("cpu")])
        self.lightning_module = self.model = None

    def setup_environment(self):
        if self.num_processes != int(os.environ["WORLD_SIZE"]):
            raise ValueError("the devices are not as many as the processes that were started")
        distributed.init_process_group("gloo")

    def on_train_start(self):
        pass

    def on_train_batch_start(self, batch, batch_idx):
        pass
