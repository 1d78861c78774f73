# SPDX-License-Identifier: Apache-2.0
"""A discriminator and a generator, each in a wrapper of its own; the second's loss goes through the first, which is frozen for it
or (with "unfrozen") has its gradient dropped. Prints the weights."""
import sys

import batchscope.torch as adl
import torch
from torch import nn
from torch.nn.functional import softplus

adl.init_process_group("gloo")
torch.manual_seed(1)
loader = adl.AdaptiveDataLoader(torch.randn(64, 4), batch_size=16)
judge, drawer = nn.Linear(4, 1), nn.Linear(2, 4)
judging, drawing = torch.optim.SGD(judge.parameters(), lr=0.1), torch.optim.SGD(drawer.parameters(), lr=0.1)
judge = adl.AdaptiveDataParallel(judge, judging, name="judge")
drawer = adl.AdaptiveDataParallel(drawer, drawing, name="drawer")

for _ in adl.remaining_epochs_until(1):
    for real in loader:
        judging.zero_grad()
        drawn = drawer(torch.ones(len(real), 2))
        real_loss, drawn_loss = softplus(-judge(real)).mean(), softplus(judge(drawn.detach())).mean()
        (real_loss + drawn_loss).backward()
        judging.step()

        drawing.zero_grad()
        judge.requires_grad_("unfrozen" in sys.argv)
        softplus(-judge(drawn)).mean().backward()
        judge.requires_grad_(True)
        drawing.step()

    try:
        for _ in range(2):
            softplus(-judge(real)).mean().backward()
    except RuntimeError as error:
        assert "add the losses" in str(error), error
    else:
        assert adl.env.num_replicas() == 1
print(judge.module.weight.tolist(), drawer.module.weight.tolist())
