# SPDX-License-Identifier: Apache-2.0
"""A model for Transformers' Trainer, with BatchScope's callback. Two epochs of four steps of two micro-batches of 8 samples."""
import tempfile

import torch
from transformers import Trainer, TrainingArguments

from batchscope.transformers import BatchScopeCallback


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(4, 1)

    def forward(self, x=None, labels=None):
        output = self.layer(x)
        return {"loss": torch.nn.functional.mse_loss(output, labels), "logits": output}


def collate(rows):
    x = torch.stack([row["x"] for row in rows])
    return {"x": x, "labels": x.sum(1, keepdim=True)}


data = [{"x": torch.randn(4)} for _ in range(64)]
with tempfile.TemporaryDirectory() as folder:
    arguments = TrainingArguments(folder, num_train_epochs=2, per_device_train_batch_size=8, gradient_accumulation_steps=2, logging_steps=2,
                                  learning_rate=0.05, lr_scheduler_type="constant", run_name="shapes", report_to="none",
                                  save_strategy="no", eval_strategy="epoch", remove_unused_columns=False, disable_tqdm=True, use_cpu=True)
    Trainer(Model(), arguments, train_dataset=data, eval_dataset=data, data_collator=collate, callbacks=[BatchScopeCallback()]).train()
