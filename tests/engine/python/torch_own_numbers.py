# SPDX-License-Identifier: Apache-2.0
"""Prints what each generator draws in the first step, on replicas that set one seed: torch_own_numbers.py [own] [stop]. own: a loader
of its own, and nothing is drawn from PyTorch. stop: leaves, with a checkpoint, after that step."""
import json
import os
import random
import signal
import sys

import batchscope.torch as adl
import numpy
import torch



class Zeros(adl.AdaptiveDataLoaderMixin):
    def __iter__(self):
        return self._elastic.loop(lambda ids: torch.zeros(len(ids), 1))


adl.init_process_group("gloo")
torch.manual_seed(1)
random.seed(1)
numpy.random.seed(1)
own = "own" in sys.argv
loader = Zeros(4, size=40) if own else adl.AdaptiveDataLoader(torch.zeros(40, 1), batch_size=4)
model = torch.nn.Linear(1, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
wrapped = adl.AdaptiveDataParallel(model, optimizer)
for epoch in adl.remaining_epochs_until(1):
    for step, batch in enumerate(loader):
        if step == 0:
            drawn = {"random": random.random(), "numpy": numpy.random.rand()}
            print(json.dumps(drawn if own else {"torch": torch.rand(1).item(), **drawn}))
            if "stop" in sys.argv:
                os.kill(os.getpid(), signal.SIGTERM)
        optimizer.zero_grad()
        wrapped(batch).sum().backward()
        optimizer.step()
