# SPDX-License-Identifier: Apache-2.0
"""Three layers, the two next to the loss "checkpointed", one within the other, or "plain". Prints gain and weights."""
import sys

import batchscope.torch as adl
import torch
from torch import nn
from torch.utils.checkpoint import checkpoint

how, accumulation = sys.argv[1], int(sys.argv[2])


class Layers(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.second, self.third = (nn.Sequential(nn.Linear(4, 4), nn.Tanh()) for _ in range(3))

    def last(self, x):
        return self.third(self.run(self.second, x))

    def forward(self, x):
        return {"drawn": [self.run(self.last, self.first(x))]}

    def run(self, part, x):
        return checkpoint(part, x, use_reentrant=True) if how == "checkpointed" else part(x)


adl.init_process_group("gloo")
torch.manual_seed(1)
loader = adl.AdaptiveDataLoader(torch.randn(64, 4), batch_size=16)
if accumulation:
    loader.autoscale_batch_size(16, local_bsz_bounds=(2, 16 // adl.env.num_replicas() // (accumulation + 1)),
                                gradient_accumulation=True)
model = Layers()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
model = adl.AdaptiveDataParallel(model, optimizer)
for _ in adl.remaining_epochs_until(2):
    for batch in loader:
        optimizer.zero_grad()
        (model(batch)["drawn"][0] - batch).square().mean().backward()
        optimizer.step()
print(model.gain, [parameter.tolist() for parameter in model.parameters()])
