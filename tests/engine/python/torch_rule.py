# SPDX-License-Identifier: Apache-2.0
"""Trains by the calls of a scaling rule, "own" or "engine's", or by the "optimizer"'s, as they stand for one another. Prints the
weights."""
import sys

import batchscope.torch as adl
import torch
from torch import nn

how = sys.argv[1]


class Root(adl.scaling_rules.ScalingRuleBase):
    def scale_lr(self, scale):
        assert self.adp.require_backward_grad_sync
        return scale ** 0.5


adl.init_process_group("gloo")
torch.manual_seed(1)
loader = adl.AdaptiveDataLoader(torch.randn(64, 4), batch_size=8)
loader.scale_by_replicas(2)
model = nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
rule = Root() if how == "own" else adl.scaling_rules.SqrtScale()
model = adl.AdaptiveDataParallel(model, optimizer, scaling_rule=rule)
steps = optimizer if how == "optimizer" else rule
for _ in adl.remaining_epochs_until(1):
    for batch in loader:
        steps.zero_grad()
        model(batch).square().mean().backward()
        steps.step()
print(model.lr_factor, model.module.weight.tolist())
