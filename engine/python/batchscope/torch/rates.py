# SPDX-License-Identifier: Apache-2.0
"""The learning rates of an optimizer's groups."""


def of(optimizer):
    """One for each group."""
    return [group["lr"] for group in optimizer.param_groups]


def step_at(optimizer, rates, step):
    """Calls step() while the groups have these rates."""
    before = of(optimizer)
    _set(optimizer, rates)
    try:
        step()
    finally:
        _set(optimizer, before)


def _set(optimizer, rates):
    for group, rate in zip(optimizer.param_groups, rates):
        group["lr"] = rate
