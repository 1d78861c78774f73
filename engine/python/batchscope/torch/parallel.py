# SPDX-License-Identifier: Apache-2.0
"""Trains a module on all replicas."""
import functools

import torch

from .._native import engine
from ..checkpoint import State, load_state
from . import adascale, plain, rates, recorder, scaling_rules, tensorboard
from .grad_scaler import FollowingScaler
from .gradient_noise_scale import GradientNoiseScale
from .loader import current_dataloader
from .sharded_optimizer import ShardedOptimizer, unwrap

_MEBI = 1 << 20


def _tensors(output):
    """Yields the tensors in a module's output."""
    if isinstance(output, torch.Tensor):
        yield output
    elif isinstance(output, (list, tuple, dict)):
        for part in output.values() if isinstance(output, dict) else output:
            yield from _tensors(part)


# Arguments of DistributedDataParallel that may have these values; None: any value.
_HARMLESS = {"dim": 0, "broadcast_buffers": True, "process_group": "", "check_reduction": None, "gradient_as_bucket_view": None,
             "static_graph": None}


def _check_ddp(arguments):
    for name, value in arguments.items():
        if name not in _HARMLESS:
            raise TypeError(f"AdaptiveDataParallel takes no argument '{name}'")
        if value is not None and _HARMLESS[name] not in (None, value):
            raise TypeError(f"AdaptiveDataParallel: the engine does not support DistributedDataParallel's {name}={value!r:.60}: "
                            "leave it out")


class AdaptiveDataParallel(torch.nn.Module):
    """Trains a module data-parallel, with learning rates that follow the batch size.

    Call it like the module. It patches `optimizer`: zero_grad() clears the gradients, but not in the middle of accumulation.
    step() multiplies the learning rates by the scaling rule's factors; in the middle of accumulation it does nothing. After the
    last backward of a step gradients are averaged over the replicas: clip them there. The state of the module, the optimizer
    and the schedule survives restarts.

    Make steps in a loop over an AdaptiveDataLoader. Elsewhere a single replica gets a warning. Several replicas would each train
    on all of the data, so step() raises RuntimeError. It raises ValueError if no backward has made a gradient since the last step.
    """

    def __init__(self, model, optimizer, lr_scheduler=None, mp_scaler=None, scaling_rule=None,
                 name="adaptdl-dataparallel", *, noise_mode="adaptdl", noise_from="gradients", smoothing=None, max_factor_growth=None,
                 bucket_cap_mb=25, device_ids=None, output_device=None, find_unused_parameters=False, **ddp):
        """mp_scaler: a GradScaler for only this instance, which scales the loss (grad_scaler.py). scaling_rule: None means
        AdamScale for Adam and AdamW, else AdaScale. name: different for each instance.

        noise_mode: the averages of the gradient's noise: "adaptdl", "paper", or "tracking" with a shorter memory, which is closer
        to the present noise. noise_from: on a single replica without accumulation the noise comes from successive "gradients", as in
        AdaptDL, or from the "examples" of a batch, without bias in a model of layers that tell them (engine/train's
        gradient/example_norms.h). Several gradients a step are used as ever.

        bucket_cap_mb: size of the gradients that are exchanged at once. device_ids, output_device, find_unused_parameters and
        other arguments of DistributedDataParallel are not needed. Raises TypeError for arguments that the engine does not support;
        ValueError for a module without trainable parameters, for parameters in the optimizer that are not the module's, for an optimizer
        of another AdaptiveDataParallel, and for examples of which nothing can be told; RuntimeError before init_process_group. Collective.
        """
        super().__init__()
        _check_ddp(ddp)
        _require(model, optimizer)
        self.module = model
        self._optimizer = optimizer
        self._step, adam = optimizer.step, isinstance(unwrap(optimizer), (torch.optim.Adam, torch.optim.AdamW))
        moments = self._moments if adam and not isinstance(optimizer, ShardedOptimizer) else None  # which nobody has all of
        if scaling_rule is None:
            scaling_rule = scaling_rules.AdamScale() if adam else scaling_rules.AdaScale()
        rule = scaling_rules.native(scaling_rule, len(optimizer.param_groups))
        self._rule_name = type(scaling_rule).__name__
        if noise_from != "gradients":
            _check_examples(model, noise_from, moments is not None and isinstance(scaling_rule, engine.AdamScale))
        self._begun = False  # a step was made
        self._scaler = FollowingScaler(mp_scaler, optimizer) if mp_scaler is not None and mp_scaler.is_enabled() else None
        self._parallel = engine.Parallel(
            list(model.named_parameters()), list(model.named_buffers()),
            [group["params"] for group in optimizer.param_groups], self._step_at, moments, rule, name,
            noise_mode, smoothing, noise_from == "examples", max_factor_growth, self._scaler and self._scaler.native,
            int(bucket_cap_mb * _MEBI))
        if self._scaler:
            self._scaler.follow()
        self._state = _OptimizerState(f"{name}-optimizer", optimizer, lr_scheduler)
        load_state(self._state)
        self._patch(optimizer)
        scaling_rule.initialize(self, optimizer, patch_optimizer=True)

    def forward(self, *args, **kwargs):
        output = self.module(*args, **kwargs)
        for tensor in _tensors(output):
            if tensor.requires_grad:
                tensor.register_hook(self._expect_backward)
        return output

    def _expect_backward(self, _):
        """Runs at the beginning of backward. A checkpointed part of the module runs its own backward within it; at its end not all
        gradients are there."""
        self._parallel.expect_backward()

    def zero_grad(self, set_to_none=True):
        """Clears the gradients, as the optimizer does, but not in the middle of accumulation."""
        self._parallel.zero_grad()

    @property
    def require_backward_grad_sync(self):
        """Whether the backward pass of this batch is its step's last; False in the middle of accumulation."""
        return self._parallel.require_backward_grad_sync

    @property
    def gain(self):
        """AdaScale's gain of the last step, from 1 to the scale."""
        return self._parallel.gain

    @property
    def lr_factor(self):
        """The factor by which the last step's learning rate was multiplied; the first group's."""
        return self._parallel.lr_factor

    @property
    def progress(self):
        """Scale-invariant iterations done."""
        return self._parallel.progress

    @property
    def gns(self):
        """All gradient statistics, under AdaptDL's names."""
        return GradientNoiseScale(self)

    @property
    def grad_sqr(self):
        """|true gradient|^2, averaged, over all groups."""
        return self._parallel.grad_sqr

    @property
    def grad_var(self):
        """The trace of the gradient's covariance at the initial batch size, averaged, over all groups."""
        return self._parallel.grad_var

    def to_tensorboard(self, writer, global_step, tag_prefix=""):
        """Writes the gradient statistics into a SummaryWriter."""
        count = self._parallel.accum_count
        tensorboard.write(writer, global_step, tag_prefix, {
            "Gradient_Norm_Sqr": self.grad_sqr, "Gradient_Variance": self.grad_var, "Gain": self.gain,
            "Learning_Rate_Factor": self.lr_factor, "Accum_Scale": self._parallel.accum_scale,
            **({"Accum_Count": count} if count else {}), "Progress": self.progress})

    def _patch(self, optimizer):
        def step(closure=None):
            if closure is not None:
                raise ValueError("step(closure) evaluates the model as often as it likes, which does not go with averaged "
                                 "gradients: call backward, then step()")
            if not self._begun or current_dataloader() is None:
                self._begin(current_dataloader())
            if told := recorder.current():
                told.before_step(self._scaler.scale if self._scaler else 1.0)
            self._parallel.step(rates.of(optimizer))
            if self._scaler:
                self._scaler.follow()

        optimizer.step, optimizer.zero_grad = _Step(self._step, step), self.zero_grad

    def _begin(self, loader):
        """Runs before the first step, and before every step outside of a loader's loop."""
        if loader is None and engine.num_replicas() > 1:
            raise RuntimeError("AdaptiveDataParallel: step() outside of a loop over an AdaptiveDataLoader: each of the "
                               f"{engine.num_replicas()} replicas trains on all of the data. Loop over "
                               "AdaptiveDataLoader(dataset, batch_size=..) in the DataLoader's place; a loop that divides its "
                               "data itself uses AdaScale(optimizer)")
        if self._begun:
            return
        self._begun, told = True, recorder.current()
        if loader is None:
            told.notice("warning", "AdaptiveDataParallel: step() outside of a loop over an AdaptiveDataLoader: the batch size "
                        "stays, a restart begins the data again, and on several replicas this is an error; loop over "
                        "AdaptiveDataLoader(dataset, batch_size=..) in the DataLoader's place")
        else:
            group = self._optimizer.param_groups[0]
            told.describe({"optimizer": type(unwrap(self._optimizer)).__name__, "lr": group.get("initial_lr", group["lr"]),
                           "scaling_rule": self._rule_name, **loader.asked_for})

    def _step_at(self, scaled):
        rates.step_at(self._optimizer, scaled, self._step)

    def _moments(self):
        """Returns for each parameter (exp_avg_sq, step, beta2, eps), or None before its first step."""
        moments = []
        for group in self._optimizer.param_groups:
            for parameter in group["params"]:
                state = self._optimizer.state.get(parameter)
                moments.append((state["exp_avg_sq"], int(state["step"]), group["betas"][1], group["eps"]) if state else None)
        return moments


def _require(model, optimizer):
    """Raises TypeError, RuntimeError or ValueError if AdaptiveDataParallel cannot take these."""
    for what, kind, name in ((model, torch.nn.Module, "model"), (optimizer, torch.optim.Optimizer, "optimizer")):
        if not isinstance(what, kind):
            raise TypeError(f"AdaptiveDataParallel(model, optimizer): {name} is not a {kind.__name__}, but {type(what).__name__}")
    if recorder.current() is None:
        raise RuntimeError("AdaptiveDataParallel: call init_process_group() before, which finds the other replicas")
    if isinstance(optimizer.step, _Step):
        raise ValueError("AdaptiveDataParallel: this optimizer is another AdaptiveDataParallel's; each needs one of its own")
    if isinstance(optimizer, adascale.AdaScale):
        raise ValueError("AdaptiveDataParallel: AdaScale scales the learning rates by itself; hand over the optimizer alone")
    if isinstance(unwrap(optimizer), torch.optim.LBFGS):
        raise ValueError("AdaptiveDataParallel: LBFGS evaluates the model as often as it likes, which does not go with averaged "
                         "gradients; use SGD, Adam or another that steps without a closure")


_TELL = (torch.nn.Linear, torch.nn.Conv1d, torch.nn.Conv2d, torch.nn.Embedding, torch.nn.LayerNorm, torch.nn.GroupNorm)


def _check_examples(model, noise_from, is_divided):
    """Raises ValueError if the examples would tell nothing."""
    if noise_from != "examples":
        raise ValueError(f"noise_from is {noise_from!r}: use 'gradients' or 'examples'")
    if is_divided:
        raise ValueError("noise_from='examples' with AdamScale: its noise is that of gradients divided by Adam's moments, and layers tell "
                         "only those of undivided ones; leave noise_from out, or name another scaling_rule, such as SqrtScale()")
    if any(isinstance(layer, torch.nn.modules.batchnorm._BatchNorm) and (layer.training or layer.running_mean is None)
           for layer in model.modules()):
        raise ValueError("noise_from='examples': a BatchNorm makes the examples of a batch depend on one another; leave noise_from out, use "
                         "GroupNorm, or call eval() on the BatchNorm before, if it is not to train")
    if not any(isinstance(layer, _TELL) and any(weight.requires_grad for weight in layer.parameters()) for layer in model.modules()):
        raise ValueError("noise_from='examples': no layer of this model tells its examples' gradients (a Linear, Conv1d, Conv2d, Embedding, "
                         "LayerNorm or GroupNorm); leave noise_from out")


class _Step:
    """The stand-in for an optimizer's step()."""

    def __init__(self, original, step):
        functools.update_wrapper(self, original)  # schedules look for marks that they left there
        self._call = step

    def __call__(self, closure=None):
        return self._call(closure)

    def __getattr__(self, name):
        if name in ("__self__", "__func__"):  # for which a new schedule asks
            raise AttributeError("make a schedule before AdaptiveDataParallel and pass it as lr_scheduler, so that the "
                                 "checkpoints keep it")
        raise AttributeError(f"step() has no attribute '{name}'")


def _options(optimizer):
    plain_kinds = (bool, int, float, tuple)
    return [{name: value for name, value in group.items() if isinstance(value, plain_kinds)}
            for group in optimizer.param_groups]


class _OptimizerState(State):
    """The optimizer and the schedule. An option that a program sets differently at its start than the program that wrote the
    checkpoint, as a fork with other arguments does, overrides the checkpoint (engine/train/src/optimizer/optimizer_state.h)."""

    def __init__(self, name, optimizer, lr_scheduler):
        super().__init__(name)
        self._parts = {"optimizer": optimizer, "scheduler": lr_scheduler}
        self._given = _options(optimizer)

    def sync(self):
        if isinstance(self._parts["optimizer"], ShardedOptimizer):
            self._parts["optimizer"].consolidate_state_dict()

    def save(self, fileobj):
        states = {name: part and part.state_dict() for name, part in self._parts.items()}
        fileobj.write(plain.dump({**states, "given": self._given}))

    def load(self, fileobj):
        states = plain.load(fileobj.read())
        for name, part in self._parts.items():
            if part is not None and states[name] is not None:
                part.load_state_dict(states[name])
        base = getattr(self._parts["scheduler"], "base_lrs", None)
        for i, (own, theirs) in enumerate(zip(self._given, states.get("given", []))):
            group = self._parts["optimizer"].param_groups[i]
            for name in own.keys() & theirs.keys():
                if theirs[name] == own[name]:
                    continue
                if name == "lr" and theirs[name]:
                    group[name] *= own[name] / theirs[name]
                else:
                    group[name] = own[name]
                if name == ("initial_lr" if "initial_lr" in own else "lr") and base:
                    base[i] = own[name]
