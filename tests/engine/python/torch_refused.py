# SPDX-License-Identifier: Apache-2.0
"""What AdaptiveDataParallel refuses, before init_process_group and behind it."""
import batchscope.torch as adl
import torch


def refused(kind, words, call):
    try:
        call()
    except kind as error:
        assert words in str(error), error
    else:
        raise AssertionError(words)


model = torch.nn.Linear(2, 2)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
refused(RuntimeError, "call init_process_group() before", lambda: adl.AdaptiveDataParallel(model, optimizer))

adl.init_process_group()
refused(TypeError, "model is no Module, but SGD", lambda: adl.AdaptiveDataParallel(optimizer, model))
refused(ValueError, "LBFGS", lambda: adl.AdaptiveDataParallel(model, torch.optim.LBFGS(model.parameters())))
adl.AdaptiveDataParallel(model, optimizer)
refused(ValueError, "another AdaptiveDataParallel's", lambda: adl.AdaptiveDataParallel(model, optimizer, name="second"))
refused(AttributeError, "a schedule is made before", lambda: torch.optim.lr_scheduler.StepLR(optimizer, 1))
