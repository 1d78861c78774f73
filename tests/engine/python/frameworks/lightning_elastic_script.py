# SPDX-License-Identifier: Apache-2.0
"""A model in Lightning with BatchScope's strategy, which trains until it is asked to leave, and prints after how many steps it did."""
import time

import torch
from lightning.pytorch import LightningModule, Trainer
from torch.utils.data import DataLoader, TensorDataset

from batchscope.lightning import BatchScopeCallback, BatchScopeStrategy


class Model(LightningModule):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(4, 1)

    def training_step(self, batch, batch_idx):
        time.sleep(0.01)
        x, y = batch
        return torch.nn.functional.mse_loss(self.layer(x), y)

    def validation_step(self, batch, batch_idx):
        pass

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.01)


torch.manual_seed(0)
x = torch.randn(64, 4)
loader = DataLoader(TensorDataset(x, x.sum(1, keepdim=True)), batch_size=8)
strategy = BatchScopeStrategy()
trainer = Trainer(max_epochs=10_000, strategy=strategy, accelerator="cpu", logger=False, enable_checkpointing=False,
                  enable_progress_bar=False, callbacks=[BatchScopeCallback()])
try:
    trainer.fit(Model(), loader, loader, ckpt_path=strategy.checkpoint)
finally:
    print("left after step", trainer.global_step)
