# SPDX-License-Identifier: Apache-2.0
"""A stand-in for Lightning 2: calls callbacks in the documented order, and optimizers as it does, with a closure that trains."""
import inspect
import types

import torch
from torch import distributed

from .callbacks import Callback


class LightningModule(torch.nn.Module):
    def save_hyperparameters(self):
        frame = inspect.currentframe().f_back
        self.hparams = {name: value for name, value in frame.f_locals.items() if name not in ("self", "__class__")}

    def log(self, name, value):
        self.trainer.callback_metrics[name] = torch.as_tensor(value)


class Trainer:
    """Several processes have a process group, which the strategy makes."""

    def __init__(self, *, callbacks, max_epochs, accumulate_grad_batches=1, strategy=None, **_):
        self.callbacks, self.max_epochs, self.accumulate_grad_batches = callbacks, max_epochs, accumulate_grad_batches
        self.strategy = strategy or types.SimpleNamespace(on_train_start=lambda: None, on_train_batch_start=lambda batch, batch_idx: None)
        if strategy:
            strategy.setup_environment()
        self.world_size = distributed.get_world_size() if distributed.is_initialized() else 1
        self.is_global_zero = not distributed.is_initialized() or distributed.get_rank() == 0
        self.global_step = self.current_epoch = 0
        self.ckpt_path, self.callback_metrics, self.sanity_checking = None, {}, False

    def _call(self, hook, *arguments, **named):
        for callback in self.callbacks:
            getattr(callback, hook, lambda *_, **__: None)(self, self._module, *arguments, **named)

    def fit(self, model, train_dataloaders, val_dataloaders, ckpt_path=None):
        self._module = self.strategy.lightning_module = model
        model.trainer = self
        if ckpt_path:
            self.ckpt_path, (self.global_step, self.current_epoch, weights) = ckpt_path, torch.load(ckpt_path)
            model.load_state_dict(weights)
        try:
            self._fit(model, train_dataloaders, val_dataloaders)
        except BaseException as error:
            self._call("on_exception", error)
            raise

    def save_checkpoint(self, path):
        if self.is_global_zero:
            torch.save((self.global_step, self.current_epoch, self._module.state_dict()), path)
        if distributed.is_initialized():
            distributed.barrier()

    def _fit(self, model, loader, validation):
        self.optimizers, self.num_training_batches = [model.configure_optimizers()], len(loader)
        wrapped = model
        if distributed.is_initialized():
            model.forward = model.training_step
            wrapped = torch.nn.parallel.DistributedDataParallel(model)
        self.strategy.model = wrapped
        self._call("on_fit_start")
        self.sanity_checking = True
        self._validate(validation)
        self.sanity_checking = False
        self._call("on_train_start")
        self.strategy.on_train_start()
        for self.current_epoch in range(self.current_epoch, self.max_epochs):
            self._call("on_train_epoch_start")
            for index, batch in enumerate(loader):
                self._train(wrapped, batch, index)
            self._validate(validation)
            self._call("on_train_epoch_end")
        self._call("on_train_end")
        self._call("on_fit_end")

    def _train(self, model, batch, index):
        self._call("on_train_batch_start", batch, index)
        self.strategy.on_train_batch_start(batch, index)
        outputs = {}

        def closure():
            loss = (model(batch, index) if model is not self._module else model.training_step(batch, index)) / self.accumulate_grad_batches
            loss.backward()
            outputs["loss"] = loss.detach()

        if (index + 1) % self.accumulate_grad_batches:
            closure()
        else:
            self.optimizers[0].step(closure=closure)
            self.optimizers[0].zero_grad()
            self.global_step += 1
        self._call("on_train_batch_end", outputs, batch, index)

    def _validate(self, loader):
        self._call("on_validation_start")
        self._call("on_validation_epoch_start")
        with torch.no_grad():
            for index, batch in enumerate(loader):
                self._call("on_validation_batch_start", batch, index, 0)
                self._module.validation_step(batch, index)
                self._call("on_validation_batch_end", None, batch, index, 0)
        self._call("on_validation_epoch_end")
        self._call("on_validation_end")
