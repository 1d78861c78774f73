# SPDX-License-Identifier: Apache-2.0
"""Measures a script on PyTorch's DistributedDataParallel. Batch size and learning rate stay the script's, unless the script asks to
adapt a loader:

    model = DistributedDataParallel(model)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    monitor = batchscope.torch.monitor(model, optimizer)
    loader = monitor.adapt(loader, max_batch_size=1024)

Squares of gradients come from a communication hook (bucket_squares.py). The estimator is the engine's (goodput/noise_scale.h): from
the mean square L of the replicas' gradients and the square T of their mean, of `count` replicas,

    |grad|^2 ~ (count * T - L) / (count - 1)          tr(cov) ~ (L - T) * scale / (count - 1)

One replica has one gradient a step. There the examples of its batch take the replicas' place (engine/train's
gradient/example_norms.h), and count is theirs.
"""
import contextlib
import functools
import math
import pathlib
import sys
import time
import types

import torch
from torch import distributed
from torch.nn.parallel import DistributedDataParallel

from .. import _logger, _recorder
from .._framework import batch_size as batch_size_of
from .._native import engine
from . import rates
from .bucket_squares import BucketSquares
from .ddp_loader import AdaptedLoader
from .ddp_memory import Memory

EXAMPLES_INTERVAL = 16  # steps of which one is asked for its examples, once there were many

_monitored = "_batchscope_monitor"  # the attribute of a monitored model, and of its optimizer

ONE_PROCESS = ("monitor(): one process has one gradient a step, and no layer of this model tells those of its examples (a Linear, "
               "Conv1d, Conv2d, Embedding, LayerNorm or GroupNorm that is called once a step, with the examples as one of the first two "
               "dimensions, and no BatchNorm): batch size, step time and throughput are recorded, and gain, noise scale and goodput are not. "
               "Start two or more processes, as torchrun --nproc_per_node 2 or `batchscope run train.py --replicas 2` do; "
               "AdaptiveDataParallel measures one replica of any model")
NO_BATCH_SIZE = ("monitor(): neither the model's inputs nor its outputs have a tensor with a batch dimension, so batch size, noise "
                 "scale and goodput are not known: give the samples of one call with monitor(model, optimizer, batch_size=..)")
SEVERAL_PASSES = ("monitor(): several backward passes of a step exchange gradients, so such steps are not measured: run all but the "
                  "last one of a step under `with model.no_sync():`, which also saves their exchange")


def monitor(ddp_model, optimizer, *, batch_size=None, initial_batch_size=None, smoothing=None, mp_scaler=None):
    """Measures gain, gradient noise scale and goodput of every step of a DistributedDataParallel. Rank 0 records them: in the
    supervisor's run, or, without a supervisor, in the run of batchscope.init(), or else in a new run. Call it on all replicas, once,
    before the first step. Returns a Monitor.

    batch_size: samples of one call of the model on one replica; None: the first dimension of the model's input. A call under no_sync()
    adds to its step. initial_batch_size: the batch size that the gain compares with; None: that of one replica at the first step, so
    that the gain of N replicas is between 1 and N. smoothing: weight of the past in the averages; None: 0.999 to the power of the
    scale. mp_scaler: a GradScaler that scales the loss. Raises TypeError, ValueError and RuntimeError for what cannot be measured."""
    _require(ddp_model, optimizer)
    for name, value in (("batch_size", batch_size), ("initial_batch_size", initial_batch_size)):
        if value is not None and not value > 0:
            raise ValueError(f"monitor(): {name} is {value!r}; it has to be positive, or None")
    made = Monitor(ddp_model, optimizer, batch_size, initial_batch_size, smoothing, mp_scaler)
    setattr(ddp_model, _monitored, made)
    setattr(optimizer, _monitored, made)
    return made


def _require(model, optimizer):
    if not isinstance(model, DistributedDataParallel):
        begun = "" if distributed.is_initialized() else "call torch.distributed.init_process_group(), then "
        raise TypeError(f"monitor(ddp_model, optimizer): ddp_model is not a DistributedDataParallel, but {type(model).__name__}: {begun}"
                        "wrap it by torch.nn.parallel.DistributedDataParallel(model)")
    if not isinstance(optimizer, torch.optim.Optimizer):
        raise TypeError(f"monitor(ddp_model, optimizer): optimizer is not a torch.optim.Optimizer, but {type(optimizer).__name__}")
    if not distributed.is_initialized():
        raise RuntimeError("monitor(): there is no process group any more: call it before destroy_process_group()")
    if not isinstance(_recorder.current(), _recorder.Recorder):
        raise RuntimeError("monitor(): this script has called batchscope.torch.init_process_group(), whose engine counts the steps: train "
                           "by AdaptiveDataParallel, which measures the same, or leave that call out")
    for what, name in ((model, "model"), (optimizer, "optimizer")):
        if hasattr(what, _monitored):
            raise ValueError(f"monitor(): this {name} is monitored already: call monitor() once for each model, with an optimizer of its "
                             "own")
    own = {id(parameter) for parameter in model.parameters()}
    if not any(id(parameter) in own for group in optimizer.param_groups for parameter in group["params"]):
        raise ValueError("monitor(): the optimizer has no parameter of the model: make it of model.parameters(), after the model was "
                         "moved to its device")
    for name, module in model.module.named_modules():
        if getattr(module, "sparse", False):
            raise ValueError(f"monitor(): {name or type(module).__name__} has sparse gradients, which are not measured: make it with "
                             "sparse=False")


_AS_THEY_ARE = contextlib.nullcontext()  # learning rates
_SERIES = ("gain", "gain_low", "gain_high", "noise_scale", "grad_sqr", "grad_var", "batch_size", "scale", "throughput", "efficiency",
           "goodput")


class Monitor:
    """The numbers that monitor() has measured up to the last step, the same on all replicas. An unknown number is NaN.

    gain: between 1 and the scale. gain_low, gain_high: the true gain is between them nine times of ten. noise_scale: samples.
    grad_sqr, grad_var: |true gradient|^2 and the trace of the gradient's covariance at the initial batch size, averaged over steps.
    batch_size: of all replicas. scale: batch_size over the initial one. throughput, goodput: samples/s by this replica's step time.
    efficiency: from 0 to 1. lr_factor: the factor of the last step's learning rates; 1 if no loader is adapted."""

    def __init__(self, model, optimizer, batch_size, initial_batch_size, smoothing, mp_scaler):
        self._model, self._optimizer, self._scaler = model, optimizer, mp_scaler
        self._replicas = distributed.get_world_size(model.process_group)
        self._is_recorded = distributed.get_rank() == 0
        self._noise = engine.NoiseScale(smoothing)
        self._samples_of_call = batch_size
        self._last_samples = 0  # of the last call
        self._initial = initial_batch_size
        self._said = set()
        self._ended = None  # s, the step before; None: something else came between
        self._begun = None  # s, the step in flight
        self._data_time = 0.0  # s of it before the first call of the model
        self._loader = None  # whose batch size follows goodput
        self._scales_rate = False
        self._is_noise_known = False
        self._derived_scale = None  # at which the gain was computed
        self.lr_factor = 1.0
        self.__dict__.update(dict.fromkeys(_SERIES, math.nan), scale=float(self._replicas))
        try:
            self._squares = BucketSquares(model)
        except RuntimeError as error:
            raise ValueError("monitor(): this model has a communication hook already, and DistributedDataParallel takes only one: "
                             f"leave register_comm_hook() out ({error})") from None
        self._examples = engine.ExampleNorms([list(model.parameters())], EXAMPLES_INTERVAL) if self._replicas == 1 else None
        model.register_forward_pre_hook(self._before_call)
        model.register_forward_hook(self._after_call)
        self._patch_step()

    def adapt(self, loader, max_batch_size, local_bsz_bounds=None, *, scale_lr=True):
        """Returns a DataLoader with a batch size that follows goodput: loop over it in place of `loader`. Call it on all replicas, once,
        before the first step.

        max_batch_size: over all replicas. local_bsz_bounds: (minimum, maximum) for one replica, None for no bounds. scale_lr: multiply
        each step's learning rates by the gain, or by its root for Adam and AdamW, so that they suit the batch size. The script's rates
        are those for the loader's batch size on one replica, or for monitor()'s initial_batch_size. Raises TypeError and ValueError,
        with the remedy, for a loader that cannot be adapted."""
        if self._loader is not None:
            raise ValueError("adapt(): this monitor adapts a loader already: call it once, for the loader of the training data")
        adapted = AdaptedLoader(loader, self._replicas, max_batch_size, local_bsz_bounds)
        if (self._initial or 0) > max_batch_size:
            raise ValueError(f"adapt(): the initial_batch_size {self._initial} of monitor() is above max_batch_size {max_batch_size}")
        self._initial = self._initial or loader.batch_size
        self._loader, self._scales_rate = adapted, scale_lr
        self._memory = Memory(self._is_recorded)
        if self._memory.recall(self._noise, adapted, self._initial):
            self._is_noise_known = True
            self._choose()
        return adapted

    def _choose(self):
        noise = (self._noise.sqr, self._noise.var) if self._is_noise_known else None
        self._loader.choose(noise, self._initial, self._model.process_group, next(self._model.parameters()).device)

    # Calls of the model.

    def _before_call(self, module, _):
        if not module.training or not torch.is_grad_enabled():
            self._ended = None  # an evaluation is no part of a step
            return
        if self._squares.passes and not self._squares.is_finite:  # a GradScaler has left the step out
            self._squares.take()
            self._begun = None
        if self._begun is None:
            now = time.monotonic()
            self._begun = now if self._ended is None else self._ended
            self._data_time = now - self._begun
            if self._examples:
                self._examples.forget()
                self._examples.listen()
            if self._is_recorded:
                _recorder.current().end_measured()
        elif self._examples:
            self._examples.end_pass()

    def _after_call(self, module, arguments, output):
        if module.training and torch.is_grad_enabled():
            self._last_samples = self._samples_of_call or batch_size_of(arguments) or batch_size_of(output)
            self._squares.samples += self._last_samples
            if self._examples:
                self._examples.expect(self._last_samples)

    # Steps.

    def _patch_step(self):
        original = self._optimizer.step

        @functools.wraps(original)  # with the marks that schedules leave
        def step(_, *arguments, **named):
            has_closure = bool(arguments and arguments[0] or named.get("closure"))  # whose backward is yet to come
            taken = None if has_closure else self._measure_gradients()
            with self._scaled_rates(taken):
                result = original(*arguments, **named)
            self._end_step(taken or self._measure_gradients(), time.monotonic())
            return result

        self._optimizer.step = types.MethodType(step, self._optimizer)  # a method, which a schedule may wrap, too

    def _measure_gradients(self):
        """Returns the times at which the step began and at which its gradients were computed, and its samples; None: no backward pass has
        exchanged gradients."""
        begun, passes, computed = self._begun, self._squares.passes, self._squares.computed or time.monotonic()
        self._begun = None
        local, total, samples = self._squares.take()
        if begun is None or not passes and self._replicas > 1:
            return None
        samples = round(samples)
        if not samples:
            self._say(NO_BATCH_SIZE)
        else:
            self._initial = self._initial or samples / self._replicas
            self.batch_size, self.scale = samples, samples / self._initial
        if self._replicas == 1:
            self._measure_examples()
        elif passes > 1:
            self._say(SEVERAL_PASSES)
        else:
            self._measure_noise(local, total, self._replicas, self.scale)
        return begun, computed, samples

    def _scaled_rates(self, taken):
        """Returns a context in which the learning rates suit the batch size."""
        if not (taken and self._scales_rate and self._is_noise_known):
            self.lr_factor = 1.0
            return _AS_THEY_ARE
        gain = max(1.0, self._noise.gain(self.scale))  # an epoch's last batch may be short
        self.lr_factor = math.sqrt(gain) if isinstance(self._optimizer, (torch.optim.Adam, torch.optim.AdamW)) else gain
        return rates.at(self._optimizer, [rate * self.lr_factor for rate in rates.of(self._optimizer)])

    def _end_step(self, taken, now):
        if not taken:
            return
        begun, computed, samples = taken
        seconds = now - begun
        self._ended = now
        if samples:
            self.throughput = samples / seconds
            self.goodput = self.throughput * self.efficiency
        if self._is_recorded:
            self._record(seconds)
        if self._loader is not None:
            self._loader.learn(samples, computed - begun, seconds)
            if self._loader.is_time_to_choose():
                self._choose()
                self._memory.keep(self._noise, self._loader, self._initial)

    def _measure_examples(self):
        examples = self._examples.take()
        if examples and self._initial:
            self._measure_noise(examples.local[0], examples.total[0], examples.count, examples.count / self._initial, examples.steps)
        if self._is_noise_known and self._initial:  # from this or an earlier step, or from a generation of several replicas
            if self._derived_scale != self.scale:
                self._derive()
        elif examples:
            self._say(ONE_PROCESS)

    def _measure_noise(self, local, total, count, scale, steps=1):
        factor = self._scaler.get_scale() ** 2 if self._scaler else 1.0
        if self._noise.update(local / factor, total / factor, count, scale, steps):  # else it is not finite
            self._is_noise_known = True
            self._derive()

    def _derive(self):
        self._derived_scale = self.scale
        self.gain = self._noise.gain(self.scale)
        self.gain_low, self.gain_high = self._noise.gain_interval(self.scale) or (math.nan, math.nan)
        self.efficiency = min(1.0, self.gain / self.scale)
        self.grad_sqr, self.grad_var = self._noise.sqr, self._noise.var
        if self._initial and self.grad_sqr > 0:
            self.noise_scale = self.grad_var / self.grad_sqr * self._initial

    def _record(self, seconds):
        if _logger.current is None and not _recorder.current().supervised:
            _logger.begin(pathlib.Path(sys.argv[0]).name)
        values = {name: value for name in _SERIES if (value := self.__dict__[name]) == value}  # which NaN is not
        rate = float(self._optimizer.param_groups[0]["lr"]) * self.lr_factor
        values.update(replicas=self._replicas, step_time=seconds, data_time=self._data_time, lr=rate)
        if self._scales_rate:
            values["lr_factor"] = self.lr_factor
        _recorder.current().measure(values)

    def _say(self, text):
        if self._is_recorded and text not in self._said:
            self._said.add(text)
            _recorder.current().notice("warning", text)
