# SPDX-License-Identifier: Apache-2.0
"""Lets AdaptDL's own tests import this engine by AdaptDL's names: a plugin of pytest.

    pytest -p as_adaptdl --import-mode=importlib --noconftest FOLDER/adaptdl/collective_test.py

`adaptdl.collective.initialize` is `batchscope.torch.init_process_group`, and what `adaptdl.goodput` begins with an underscore has
its name here. What AdaptDL has and this engine does not, such as
`adaptdl.reducer`, is not there, and a test file that imports it cannot be collected.
"""
import functools
import importlib.util
import os
import pathlib
import sys
import types

import batchscope
import batchscope.torch
from batchscope.torch import accumulator, data, epoch, gradient_noise_scale, iterator, loader, scaling_rules

HARNESS = pathlib.Path(os.environ["ADAPTDL_TESTS"]) / "conftest.py"  # replicas and restarts as the tests want them


def _module(name, *sources, **more):
    module = types.ModuleType(name)
    for source in sources:
        module.__dict__.update({key: value for key, value in vars(source).items() if not key.startswith("__")})
    module.__dict__.update(more)
    sys.modules[name] = module
    parent, _, child = name.rpartition(".")
    if parent:
        setattr(sys.modules[parent], child, module)
    return module


def _initialize(*_, **__):
    batchscope.torch.init_process_group("gloo")


_module("adaptdl", __path__=[])
_module("adaptdl.env", batchscope.env)
_module("adaptdl.checkpoint", batchscope.checkpoint)
_module("adaptdl.collective", batchscope.collective, initialize=_initialize)
_module("adaptdl.goodput", batchscope.goodput, _predict_accum_time=batchscope.goodput.accumulation_time,
        _predict_network_time=batchscope.goodput.sync_time, _obj_fn=batchscope.goodput.fit_objective)
_module("adaptdl.torch", batchscope.torch, __path__=[])
_module("adaptdl.torch.accumulator", accumulator)
_module("adaptdl.torch.data", data, current_dataloader=loader.current_dataloader)
_module("adaptdl.torch.epoch", epoch)
_module("adaptdl.torch.gradient_noise_scale", gradient_noise_scale)
_module("adaptdl.torch.iterator", iterator)
_module("adaptdl.torch.scaling_rules", scaling_rules, current_dataloader=loader.current_dataloader)

_spec = importlib.util.spec_from_file_location("adaptdl.conftest", HARNESS)
sys.modules["adaptdl.conftest"] = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(sys.modules["adaptdl.conftest"])


_multiprocessing = sys.modules["adaptdl.conftest"].elastic_multiprocessing


def _initialized_first(func):
    """The harness, in whose replicas a test that does not initialize finds that done."""
    if "initialize" in func.__code__.co_names:
        return _multiprocessing(func)

    def initialized(*args, **kwargs):
        _initialize()
        return func(*args, **kwargs)

    return _multiprocessing(functools.wraps(func)(initialized))


sys.modules["adaptdl.conftest"].elastic_multiprocessing = _initialized_first
