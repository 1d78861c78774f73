# SPDX-License-Identifier: Apache-2.0
"""Refusals of AdaptiveDataParallel, before init_process_group and behind it; and of states of one's own that fail."""
import batchscope.torch as adl
import torch


def refused(kind, words, call):
    try:
        call()
    except kind as error:
        assert words in str(error), error
    else:
        raise AssertionError(words)


class Unsaved(adl.checkpoint.State):
    def save(self, fileobj):
        fileobj.write("text")


class Uninitialised(adl.checkpoint.State):
    def __init__(self):
        pass


model = torch.nn.Linear(2, 2)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
refused(RuntimeError, "call init_process_group() before", lambda: adl.AdaptiveDataParallel(model, optimizer))

refused(ValueError, "backend 'mpi': expected auto, gloo or nccl", lambda: adl.init_process_group("mpi"))
adl.init_process_group()
refused(RuntimeError, "collective.barrier()", torch.distributed.barrier)
refused(RuntimeError, "env.num_replicas()", torch.distributed.get_world_size)
refused(TypeError, "model is not a Module, but SGD", lambda: adl.AdaptiveDataParallel(optimizer, model))
refused(ValueError, "LBFGS", lambda: adl.AdaptiveDataParallel(model, torch.optim.LBFGS(model.parameters())))
refused(ValueError, "AdaScale scales", lambda: adl.AdaptiveDataParallel(
    model, adl.AdaScale(optimizer, num_gradients_to_accumulate=2)))
refused(TypeError, "such as scaling_rules.LinearScale()", lambda: adl.AdaptiveDataParallel(
    model, optimizer, scaling_rule=adl.scaling_rules.LinearScale))
refused(ValueError, "LinearScale: first pass it to an AdaptiveDataParallel", adl.scaling_rules.LinearScale().step)
refused(ValueError, "use 'adaptdl', 'paper' or 'tracking'", lambda: adl.AdaptiveDataParallel(model, optimizer, noise_mode="none"))
refused(ValueError, "use 'gradients' or 'examples'", lambda: adl.AdaptiveDataParallel(model, optimizer, noise_from="layers"))
adam = torch.optim.Adam(model.parameters())
refused(ValueError, "with AdamScale: its noise is that of gradients divided by Adam's moments", lambda: adl.AdaptiveDataParallel(
    model, adam, noise_from="examples"))
for other, words in ((torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.BatchNorm1d(2)), "a BatchNorm makes the examples"),
                     (torch.nn.Bilinear(2, 2, 1), "no layer of this model tells")):
    refused(ValueError, words, lambda other=other: adl.AdaptiveDataParallel(
        other, torch.optim.SGD(other.parameters(), lr=0.1), noise_from="examples"))
refused(TypeError, "takes no argument 'sharded'", lambda: adl.AdaptiveDataParallel(model, optimizer, sharded=True))
refused(TypeError, "broadcast_buffers=False", lambda: adl.AdaptiveDataParallel(model, optimizer, broadcast_buffers=False))
adl.AdaptiveDataParallel(model, optimizer, broadcast_buffers=True, process_group=None, gradient_as_bucket_view=True,
                         static_graph=True, check_reduction=False, dim=0)
refused(ValueError, "another AdaptiveDataParallel's", lambda: adl.AdaptiveDataParallel(model, optimizer, name="second"))
refused(ValueError, "call loss.backward() first", optimizer.step)
model(torch.ones(2)).sum().backward()
optimizer.step()
refused(ValueError, "call loss.backward() first", optimizer.step)
refused(AttributeError, "make a schedule before", lambda: torch.optim.lr_scheduler.StepLR(optimizer, 1))

refused(TypeError, "is not a text", lambda: adl.checkpoint.State(3))
refused(TypeError, "Uninitialised is not a checkpoint.State", lambda: adl.checkpoint.load_state(Uninitialised()))
unsaved = Unsaved("mine")
refused(RuntimeError, "save() of the state 'mine': TypeError", adl.checkpoint.save_all_states)
