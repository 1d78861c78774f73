# SPDX-License-Identifier: Apache-2.0
"""The learning rates of an optimizer's groups."""
import contextlib


def of(optimizer):
    """Returns the learning rate of each group."""
    return [group["lr"] for group in optimizer.param_groups]


@contextlib.contextmanager
def at(optimizer, rates):
    """Opens a context in which the groups have these rates."""
    before = of(optimizer)
    _set(optimizer, rates)
    try:
        yield
    finally:
        _set(optimizer, before)


def step_at(optimizer, rates, step):
    """Calls step() while the groups have these rates."""
    with at(optimizer, rates):
        step()


def _set(optimizer, rates):
    for group, rate in zip(optimizer.param_groups, rates):
        group["lr"] = rate
