# SPDX-License-Identifier: Apache-2.0
"""A stand-in for the Trainer of Transformers: calls callbacks in the documented order."""
import types

import torch
from interface import require

_CALL = ("args", "state", "control"), {"model": None, "optimizer": None, "lr_scheduler": None, "train_dataloader": None}
_HOOKS = {name: _CALL for name in ("on_init_end", "on_train_begin", "on_train_end", "on_epoch_begin", "on_epoch_end", "on_step_begin",
                                   "on_substep_end", "on_pre_optimizer_step", "on_optimizer_step", "on_step_end", "on_save", "on_predict",
                                   "on_prediction_step")}
_HOOKS["on_log"] = (_CALL[0], {**_CALL[1], "logs": {}})
_HOOKS["on_evaluate"] = (_CALL[0], {**_CALL[1], "metrics": {}})


class TrainerCallback:
    def __init_subclass__(cls):
        require(cls, _HOOKS)


class TrainingArguments:
    def __init__(self, output_dir, *, num_train_epochs, per_device_train_batch_size, gradient_accumulation_steps=1, logging_steps=500,
                 learning_rate=5e-5, run_name=None, **_):
        self.num_train_epochs, self.train_batch_size = num_train_epochs, per_device_train_batch_size
        self.gradient_accumulation_steps, self.logging_steps = gradient_accumulation_steps, logging_steps
        self.learning_rate, self.run_name, self.world_size = learning_rate, run_name or output_dir, 1

    def to_sanitized_dict(self):
        return {name: value for name, value in vars(self).items() if isinstance(value, (int, float, str))}


class Trainer:
    def __init__(self, model, args, train_dataset, eval_dataset, data_collator, callbacks):
        self.model, self.args, self.callbacks = model, args, callbacks
        self.data, self.evaluated, self.collate = train_dataset, eval_dataset, data_collator

    def _call(self, hook, **named):
        for callback in self.callbacks:
            method = getattr(callback, hook, None)
            if method:
                method(self.args, self.state, None, model=self.model, optimizer=self.optimizer, **named)

    def train(self):
        args = self.args
        size = args.train_batch_size * args.gradient_accumulation_steps
        steps_of_epoch = len(self.data) // size
        self.optimizer = torch.optim.SGD(self.model.parameters(), lr=args.learning_rate)
        self.state = types.SimpleNamespace(global_step=0, epoch=0, max_steps=args.num_train_epochs * steps_of_epoch, is_world_process_zero=True,
                                           num_train_epochs=args.num_train_epochs)
        self._call("on_train_begin")
        for epoch in range(args.num_train_epochs):
            self._call("on_epoch_begin")
            for step in range(steps_of_epoch):
                self._call("on_step_begin")
                for micro in range(args.gradient_accumulation_steps):
                    begin = step * size + micro * args.train_batch_size
                    loss = self.model(**self.collate(self.data[begin:begin + args.train_batch_size]))["loss"]
                    (loss / args.gradient_accumulation_steps).backward()
                    if micro + 1 < args.gradient_accumulation_steps:
                        self._call("on_substep_end")
                self.optimizer.step()
                self.optimizer.zero_grad()
                self.state.global_step += 1
                self.state.epoch = epoch + (step + 1) / steps_of_epoch
                self._call("on_step_end")
                if self.state.global_step % args.logging_steps == 0:
                    self._call("on_log", logs={"loss": loss.item(), "learning_rate": args.learning_rate, "epoch": self.state.epoch})
            self._call("on_epoch_end")  # the epoch's evaluation comes after it
            metrics = {"eval_loss": self.model(**self.collate(self.evaluated))["loss"].item(), "epoch": self.state.epoch}
            self._call("on_log", logs=metrics)
            self._call("on_evaluate", metrics=metrics)
        self._call("on_log", logs={"train_runtime": 1.0, "total_flos": 1.0})
        self._call("on_train_end")
