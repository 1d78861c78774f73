# SPDX-License-Identifier: Apache-2.0
"""Mistakes that people make in scripts on PyTorch, one after the other in one process. Prints, in JSON, what is said of each."""
import copy
import json
import os

import batchscope
import batchscope.torch as adl
import torch
from torch import distributed
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, TensorDataset

said = {}


def make(name, mistake):
    try:
        mistake()
    except Exception as error:
        said[name] = f"{type(error).__name__}: {error}"
    else:
        said[name] = "nothing"


def sgd(module):
    return torch.optim.SGD(module.parameters(), lr=0.1)


model, data = torch.nn.Linear(2, 2), TensorDataset(torch.zeros(64, 2))
make("no init_process_group", lambda: adl.AdaptiveDataParallel(model, sgd(model)))
make("monitor: no process group", lambda: adl.monitor(model, sgd(model)))
distributed.init_process_group("gloo", f"file://{os.environ['BATCHSCOPE_RENDEZVOUS_DIR']}/group", rank=0, world_size=1)
make("monitor: no DistributedDataParallel", lambda: adl.monitor(model, sgd(model)))
parallel = DistributedDataParallel(copy.deepcopy(model))
make("monitor: model moved after the optimizer", lambda: adl.monitor(parallel, sgd(model)))
monitor = adl.monitor(parallel, sgd(parallel))
make("adapt: a stream", lambda: monitor.adapt(DataLoader((x for x in range(9)), batch_size=3), 64))
make("adapt: a batch above the bounds", lambda: monitor.adapt(DataLoader(data, batch_size=8), 64, (1, 4)))
make("adapt: less than one batch", lambda: monitor.adapt(DataLoader(data, batch_size=8), 4))
make("record: a tensor of several", lambda: batchscope.record(loss=torch.zeros(3)))
make("record: no name", lambda: batchscope.record(3))
make("both groups", lambda: (adl.init_process_group(), adl.monitor(DistributedDataParallel(model), sgd(model))))
make("model moved after the optimizer", lambda: adl.AdaptiveDataParallel(copy.deepcopy(model), sgd(model)))
make("a generator as data set", lambda: adl.AdaptiveDataLoader((x for x in range(9)), batch_size=3))
make("a batch size of none", lambda: adl.AdaptiveDataLoader(data, batch_size=0))
make("a largest batch below the first", lambda: adl.AdaptiveDataLoader(data, batch_size=8).autoscale_batch_size(4))
make("a sampler of its own", lambda: adl.AdaptiveDataLoader(data, batch_size=8, sampler=torch.utils.data.RandomSampler(data)))
print(json.dumps(said))
