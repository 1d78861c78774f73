# SPDX-License-Identifier: Apache-2.0
"""Makes an unchanged script on AdaptDL report its steps. When the script has imported `adaptdl.torch`, this module wraps the functions
there through which every step, epoch, checkpoint and sum goes, and reports them in the series that every run has. It knows AdaptDL
0.2.11. If one of the functions is missing, it wraps none, and the script runs as without it.

A step is reported when its batch is handed back, because AdaptDL's own profile has its time then. AdaptDL does not count steps and
samples, so they are kept in its checkpoints as one more state."""

import contextlib
import functools
import importlib.metadata
import json
import os
import sys
import time
import weakref

from . import _line, _recorder

PLACES = {  # of adaptdl, by module
    "torch": ["init_process_group", "remaining_epochs_until"],
    "torch.data": ["AdaptiveDataLoader.__init__", "AdaptiveDataLoaderHelper.profile"],
    "torch.parallel": ["AdaptiveDataParallel.__init__", "AdaptiveDataParallel.gain"],
    "torch.scaling_rules": ["ScalingRuleBase.step"],
    "torch.epoch": ["remaining_epochs_until", "finished_epochs", "current_epoch"],
    "torch.accumulator": ["Accumulator.synchronized", "Accumulator.__setitem__"],
    "torch._metrics": ["_fit_perf_params", "_metrics_state", "get_goodput_fn", "get_progress"],
    "checkpoint": ["State", "load_state", "save_all_states", "CKPT_DIR_PREFIX"],
    "env": ["replica_rank", "num_replicas", "num_nodes", "num_restarts", "checkpoint_path"],
}


def attach(_):
    modules = {name: sys.modules["adaptdl." + name] for name in PLACES}
    for name, places in PLACES.items():
        for place in places:
            functools.reduce(getattr, place.split("."), modules[name])  # AttributeError names what is missing
    if _recorder.current().supervised:
        _recorder.current().counted = True
        Tracker(modules).wrap()


def wrap(owner, name, make):
    original = getattr(owner, name)
    setattr(owner, name, functools.wraps(original)(make(original)))


class Tracker:
    def __init__(self, modules):
        self.modules = modules
        self.env, self.checkpoint, self.metrics = modules["env"], modules["checkpoint"], modules["torch._metrics"]
        self.epoch = modules["torch.epoch"]
        self.sizes = weakref.WeakKeyDictionary()  # of data sets, by their loader's helper
        self.results = {}  # of scopes, by their accumulators' ids
        self.epochs = 0  # asked for
        self.entered = None  # epoch
        self.begun = 0.0  # s, when the present batch was handed out
        self.index = 0  # of its first sample
        self.samples, self.seconds, self.sync_seconds = 0, 0.0, 0.0  # of the step so far
        self.scaler = None  # of losses
        self.rule = None  # that has made the step in flight
        self.last_step = 0.0  # s
        self.account = None
        self.model_key = self.model_time = None

    def wrap(self):
        torch, data, accumulator = (self.modules[name] for name in ("torch", "torch.data", "torch.accumulator"))
        wrap(torch, "init_process_group", self.wrap_init_process_group)
        for module in (torch, self.epoch):
            wrap(module, "remaining_epochs_until", self.wrap_epochs)
        wrap(data.AdaptiveDataLoader, "__init__", self.wrap_loader)
        wrap(data.AdaptiveDataLoaderHelper, "profile", self.wrap_profile)
        wrap(self.modules["torch.parallel"].AdaptiveDataParallel, "__init__", self.wrap_parallel)
        wrap(self.modules["torch.scaling_rules"].ScalingRuleBase, "step", self.wrap_step)
        wrap(self.checkpoint, "save_all_states", self.wrap_save)
        wrap(self.metrics, "_fit_perf_params", self.wrap_fit)
        wrap(accumulator.Accumulator, "synchronized", self.wrap_synchronized)
        wrap(accumulator.Accumulator, "__setitem__", self.wrap_setitem)
        if "torch" in sys.modules:
            wrap(sys.modules["torch"].Tensor, "backward", self.wrap_backward)

    # Beginning and end.

    def wrap_init_process_group(self, original):
        def init_process_group(backend, *arguments, **named):
            result = original(backend, *arguments, **named)
            computes, _ = _recorder.library()
            with contextlib.suppress(importlib.metadata.PackageNotFoundError):
                computes = f"AdaptDL {importlib.metadata.version('adaptdl')}, {computes}"
            _recorder.current().open(backend=str(backend), library=computes)
            return result
        return init_process_group

    def restore(self):
        """Restores the counts from before this restart. Everything else is loaded by the time the first batch is handed out."""
        self.account = make_account(self.checkpoint.State)
        loaded = self.checkpoint.load_state(self.account)
        _recorder.current().restored(self.account.steps, self.newest_checkpoint() if loaded else "")

    def newest_checkpoint(self):
        prefix = self.checkpoint.CKPT_DIR_PREFIX
        numbers = [int(name[len(prefix):]) for name in os.listdir(self.env.checkpoint_path())
                   if name.startswith(prefix) and name[len(prefix):].isdigit()]
        return f"{prefix}{max(numbers)}" if numbers else ""

    def wrap_save(self, original):
        def save_all_states():
            began = time.monotonic()
            folder = original()
            if folder and self.account:
                name = f"{self.checkpoint.CKPT_DIR_PREFIX}{self.env.num_restarts()}"
                size = sum(file.stat().st_size for file in os.scandir(os.path.join(folder, name)))
                _recorder.current().tell("checkpoint", name=name, reason="exit", step=self.account.steps, bytes=size,
                                         epoch=self.epoch.finished_epochs(), progress=float(self.metrics.get_progress()),
                                         last_step=self.last_step, began=began, mono=time.monotonic())
            return folder
        return save_all_states

    # Epochs and batches.

    def wrap_epochs(self, original):
        def remaining_epochs_until(epoch):
            self.epochs = epoch
            for current in original(epoch):
                yield current
                self.enter_epoch()  # which may have had no batch
                _recorder.current().end_epoch(current)
        return remaining_epochs_until

    def enter_epoch(self):
        if not self.account:
            self.restore()
        current = self.epoch.current_epoch()
        if current is None or current == self.entered:
            return
        self.entered = current
        _recorder.current().begin_epoch(current, self.epochs, told=current < self.account.epochs_begun)
        self.account.epochs_begun = max(self.account.epochs_begun, current + 1)

    def wrap_loader(self, original):
        def __init__(loader, dataset, *arguments, **named):
            original(loader, dataset, *arguments, **named)
            self.sizes[loader._elastic] = len(dataset)
        return __init__

    def wrap_profile(self, original):
        @contextlib.contextmanager
        def profile(helper, commit):
            with original(helper, commit):
                self.hand_out(helper)
                try:
                    yield
                finally:
                    self.hand_back(helper)
        return profile

    def hand_out(self, helper):
        self.enter_epoch()
        self.index = helper.current_index or 0
        self.begun = time.monotonic()

    def hand_back(self, helper):
        if not _recorder.current().speaks:
            return
        now = time.monotonic()
        size = self.sizes.get(helper) or helper.end_index
        fraction = self.fraction_of(helper, size)
        recorder = _recorder.current()
        recorder.position("train" if helper.training else "validate", fraction, float(self.metrics.get_progress()), now)
        if not helper.training:
            return
        samples = int(helper.current_local_bsz) * self.env.num_replicas()
        if helper in self.sizes:  # the last batch of a pass is what is left
            samples = min(samples, size - self.index % size)
        self.samples += samples
        self.seconds += now - self.begun
        self.sync_seconds += getattr(self.metrics._metrics_state(), "sync_time", 0.0)
        if self.rule:
            self.account.steps += 1
            self.account.samples += self.samples
            self.last_step = now
            if self.account.steps == 1:
                recorder.tell("hyperparameters", values=hyperparameters(self.metrics._metrics_state(), self.rule))
            recorder.end_step(self.account.steps, now, self.row(helper, self.rule, fraction))
            self.samples, self.seconds, self.sync_seconds, self.rule = 0, 0.0, 0.0, None

    def fraction_of(self, helper, size):
        if not size:
            return 0.0
        if helper.training and helper.max_batch_size is not None:  # the epoch ends by progress
            done = self.metrics.get_progress() * helper.batch_size / size - (self.epoch.current_epoch() or 0)
        else:
            done = (self.index + helper.current_local_bsz * self.env.num_replicas()) / size
        return min(max(float(done), 0.0), 1.0)

    # Steps.

    def wrap_step(self, original):
        def step(rule, *arguments, **named):
            result = original(rule, *arguments, **named)
            if rule.adp.require_backward_grad_sync:
                self.rule = rule
            return result
        return step

    def wrap_backward(self, original):
        def backward(tensor, *arguments, **named):
            recorder = _recorder.current()
            if recorder.speaks and tensor.numel() == 1 and self.modules["torch.data"].current_dataloader() is not None:
                scale = self.scaler.get_scale() if self.scaler else 1.0
                recorder.record({"loss": _recorder.number("loss", tensor) / scale})
            return original(tensor, *arguments, **named)
        return backward

    def wrap_parallel(self, original):
        def __init__(parallel, *arguments, **named):
            original(parallel, *arguments, **named)
            self.scaler = parallel.gns._mp_scaler
        return __init__

    def row(self, helper, rule, fraction):
        """Returns the series that every run has (protocol/series.h) at a step."""
        noise = rule.adp.gns
        sqr, var, progress = noise.sqr_avg(), noise.var_avg(), float(noise.get_progress())
        batch_size = helper.current_batch_size
        scale = batch_size / helper.batch_size
        gain, factor = float(rule.adp.gain), float(rule.adp._state.lr_factor)
        efficiency = min(1.0, gain / scale)
        values = {"gain": gain, "scale": scale, "lr_factor": factor, "lr": rule._optimizer.param_groups[0]["lr"] * factor,
                  "grad_sqr": sqr, "grad_var": var, "progress": progress, "efficiency": efficiency, "batch_size": batch_size,
                  "local_batch_size": helper.current_local_bsz, "accumulation_steps": helper.accumulation_steps,
                  "replicas": self.env.num_replicas(), "samples": self.account.samples,
                  "step_time": self.seconds, "sync_time": min(self.sync_seconds, self.seconds),
                  "epoch": (self.epoch.current_epoch() or 0) + fraction}
        if sqr > 0:
            values["noise_scale"] = var / sqr * helper.batch_size
        if self.seconds > 0:
            values["throughput"] = self.samples / self.seconds
            values["goodput"] = values["throughput"] * efficiency
        predicted = self.predict(helper)
        if predicted:
            values["model_step_time"] = predicted
            values["model_error"] = self.seconds / predicted - 1
        return values

    # The model.

    def predict(self, helper):
        """Returns the seconds of a step by AdaptDL's model; None if there is no model yet."""
        state = self.metrics._metrics_state()
        key = (id(state.perf_params), helper.current_local_bsz, helper.accumulation_steps)
        if key != self.model_key:
            self.model_key, function = key, self.metrics.get_goodput_fn()
            self.model_time = function and helper.current_batch_size / float(function.throughput(
                self.env.num_nodes(), self.env.num_replicas(), helper.current_local_bsz, helper.accumulation_steps))
        return self.model_time

    def wrap_fit(self, original):
        def _fit_perf_params():
            original()
            state = self.metrics._metrics_state()
            lowest, highest = state.local_bsz_bounds or (None, None)
            sqr, var = state.grad_params or (0.0, 0.0)
            _recorder.current().tell(
                "model", perf=[_line.number(value) for value in state.perf_params], grad_sqr=float(sqr), grad_var=float(var),
                init_batch_size=state.init_batch_size or 0, max_batch_size=state.max_batch_size or 0,
                min_local_batch_size=lowest or 0, max_local_batch_size=highest or 0,
                accumulation=bool(state.gradient_accumulation),
                max_profiled_replicas=max(key[1] for key in state.profile), step=self.account.steps if self.account else 0)
        return _fit_perf_params

    # Sums.

    def wrap_synchronized(self, original):
        @contextlib.contextmanager
        def synchronized(accumulator):
            history = accumulator._state.results_history.get(self.epoch.current_epoch(), ())
            is_replayed = accumulator._sync_count[self.epoch.current_epoch()] < len(history)
            if is_replayed or accumulator._synchronized is not None or not _recorder.current().speaks:
                with original(accumulator):
                    yield accumulator
                return
            with original(accumulator):
                self.results[id(accumulator)] = dict(accumulator._synchronized)
                try:
                    yield accumulator
                finally:
                    results = self.results.pop(id(accumulator))
            for name, value in results.items():
                record_result(str(name), value)
        return synchronized

    def wrap_setitem(self, original):
        def __setitem__(accumulator, name, value):
            original(accumulator, name, value)
            if id(accumulator) in self.results:
                self.results[id(accumulator)][name] = value
        return __setitem__


def hyperparameters(state, rule):
    """Returns the settings that a script has given AdaptDL, as texts."""
    lowest, highest = state.local_bsz_bounds or (None, None)
    values = {"optimizer": type(rule._optimizer).__name__, "scaling_rule": type(rule).__name__,
              "batch_size": state.init_batch_size, "max_batch_size": state.max_batch_size, "min_local_batch_size": lowest,
              "max_local_batch_size": highest, "gradient_accumulation": state.gradient_accumulation}
    return {name: str(value) for name, value in values.items() if value is not None}


def record_result(name, value):
    """Records a result of an accumulator. The name of a series that every step has is left to that series."""
    try:
        value = _recorder.number(name, value)
    except TypeError:
        return  # anything that can be added up may be summed
    _recorder.current().scalar("accumulator/loss" if name == "loss" else name, value)


def make_account(state_type):
    class Account(state_type):
        """Counts of the whole run."""

        def __init__(self):
            super().__init__("batchscope")
            self.steps = self.samples = self.epochs_begun = 0

        def save(self, fileobj):
            fileobj.write(json.dumps([self.steps, self.samples, self.epochs_begun]).encode())

        def load(self, fileobj):
            self.steps, self.samples, self.epochs_begun = json.loads(fileobj.read())

    return Account()
