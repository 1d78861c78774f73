# SPDX-License-Identifier: Apache-2.0
"""A model in Lightning, with BatchScope's callback. Two epochs of four steps of two micro-batches of 8 samples."""
import sys

import torch
from lightning.pytorch import LightningModule, Trainer
from torch.utils.data import DataLoader, TensorDataset

from batchscope.lightning import BatchScopeCallback


class Model(LightningModule):
    def __init__(self, lr):
        super().__init__()
        self.save_hyperparameters()
        self.lr = lr
        self.layer = torch.nn.Linear(4, 1)

    def loss(self, batch):
        x, y = batch
        return torch.nn.functional.mse_loss(self.layer(x), y)

    def training_step(self, batch, batch_idx):
        if "fail" in sys.argv:
            raise ValueError("no more data")
        return self.loss(batch)

    def validation_step(self, batch, batch_idx):
        self.log("val_loss", self.loss(batch))

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=self.lr)


torch.manual_seed(0)
x = torch.randn(64, 4)
loader = DataLoader(TensorDataset(x, x.sum(1, keepdim=True)), batch_size=8)
trainer = Trainer(max_epochs=2, accumulate_grad_batches=2, accelerator="cpu", devices=1, logger=False, enable_checkpointing=False,
                  enable_progress_bar=False, callbacks=[BatchScopeCallback(name="lightning", tags=["paper"])])
trainer.fit(Model(lr=0.05), loader, loader)
