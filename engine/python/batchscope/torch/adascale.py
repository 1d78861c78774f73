# SPDX-License-Identifier: Apache-2.0
"""Provides AdaScale around an optimizer, for loops with their own data and batch sizes, under FairScale's names."""
import torch

from .._native import engine
from . import rates
from .grad_scaler import FollowingScaler


class AdaScale(torch.optim.Optimizer):
    """An optimizer whose learning rates are multiplied by the gain of a step of several gradients:

        optimizer = AdaScale(torch.optim.SGD(model.parameters(), lr=0.1), num_gradients_to_accumulate=2)
        while epochs_done(optimizer):
            optimizer.zero_grad()
            for data, target in two_batches:
                (loss(model(data), target) / 2).backward()
            optimizer.step()

    Gradients are averaged over the replicas of init_process_group in the last backward of a step: the module needs no
    DistributedDataParallel. All other attributes are the optimizer's.
    """

    def __init__(self, optimizer, world_size=None, scale=None, smoothing=None, num_gradients_to_accumulate=1,
                 is_scaled_loss=True, debias_ewma=True, *, mp_scaler=None):
        """world_size: the number of replicas, or 1 for this one alone. scale: batch size over the base batch size; None: gradients
        per step. is_scaled_loss: the loss of each backward is divided by num_gradients_to_accumulate. mp_scaler: a GradScaler for
        only this instance, which scales the loss (grad_scaler.py): the last backward of a step unscales the gradients, and a step
        with a gradient that is not finite has no effect on any replica. Raises RuntimeError for a single gradient per step, which
        has no spread to learn from."""
        replicas = engine.num_replicas() if world_size is None else world_size
        if replicas * num_gradients_to_accumulate == 1:
            raise RuntimeError("AdaScale: a single replica without accumulation has one gradient a step and so no spread to "
                               "learn from: use more replicas, or num_gradients_to_accumulate=2")
        self._optimizer = optimizer
        self._scaler = FollowingScaler(mp_scaler, self) if mp_scaler is not None and mp_scaler.is_enabled() else None
        self._scaled = engine.AdaScaled([group["params"] for group in optimizer.param_groups], self._step_at, world_size, scale,
                                        smoothing, num_gradients_to_accumulate, debias_ewma, is_scaled_loss,
                                        self._scaler and self._scaler.native)

    def zero_grad(self, set_to_none=True):
        """Drops all gradients, also those of a step that was not finished; unless set_to_none, makes them zeros."""
        kept = [] if set_to_none else [parameter for group in self._optimizer.param_groups for parameter in group["params"]
                                       if parameter.grad is not None]
        self._scaled.zero_grad()
        for parameter in kept:
            parameter.grad = torch.zeros_like(parameter)

    def step(self, closure=None):
        """Runs the optimizer's step with each group's rate times its gain. A closure runs the step's backward passes first, once;
        its loss is returned."""
        loss = None
        if closure is not None:
            with torch.enable_grad():
                loss = closure()
        self._scaled.step(rates.of(self._optimizer))
        if self._scaler:
            self._scaler.follow()
        return loss

    def gain(self, pg_idx=None):
        """Returns the gain, between 1 and the scale; of one parameter group, if its index is given."""
        return self._scaled.gain if pg_idx is None else self._scaled.group_gain(pg_idx)

    @property
    def scale(self):
        """Batch size over the base batch size."""
        return self._scaled.scale

    def set_scale(self, scale, update_estimate=True):
        """Sets the scale of the steps to come. update_estimate multiplies the estimated variance by the old scale over the new
        one, as FairScale does. False leaves it, which is right for another batch over the same base."""
        self._scaled.set_scale(scale, update_estimate)

    @property
    def smoothing(self):
        """Weight of the past in the averages."""
        return self._scaled.smoothing

    def set_num_gradients_to_accumulate(self, num_gradients_to_accumulate, update_smoothing=True):
        """Sets the number of gradients of each step. Mostly followed by set_scale()."""
        self._scaled.set_num_gradients_to_accumulate(num_gradients_to_accumulate, update_smoothing)

    def scale_grad_by_num_grads_to_accum(self):
        """Divides the gradients by their number, before step(), if the loss is not scaled."""
        self._scaled.scale_grad_by_num_grads_to_accum()

    @property
    def scale_invariant_steps(self):
        """The sum of gains so far."""
        return self._scaled.scale_invariant_steps

    def add_param_group(self, param_group):
        """Adds a group to the optimizer, between two steps."""
        self._optimizer.add_param_group(param_group)
        self._scaled.add_param_group(self._optimizer.param_groups[-1]["params"])

    def unhook(self):
        """Releases the parameters, finally: from then on call the optimizer itself."""
        self._scaled.unhook()

    def state_dict(self):
        """Returns the optimizer's state, with the averages and the iterations done."""
        return {**self._optimizer.state_dict(), "adascale": self._scaled.state}

    def load_state_dict(self, data):
        """Restores what state_dict returned."""
        data = dict(data)
        self._scaled.restore(data.pop("adascale"))
        self._optimizer.load_state_dict(data)

    def __getattr__(self, name):
        return getattr(self.__dict__["_optimizer"], name)

    def __repr__(self):
        return f"AdaScale({self._optimizer!r})"

    def _step_at(self, scaled):
        rates.step_at(self._optimizer, scaled, self._optimizer.step)
