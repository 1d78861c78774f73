# SPDX-License-Identifier: Apache-2.0
"""Epochs that survive restarts."""
from .._native import engine
from .._recorder import whole


def remaining_epochs_until(epoch):
    """The epochs that are left of so many: `for epoch in remaining_epochs_until(30)`.

    After a restart the loop goes on at the epoch in which the checkpoint was made; what that epoch had finished is
    skipped, so that code between the loops over data runs again. Leaving an epoch by `break` finishes it; an exception
    does not.
    """
    return engine.Epochs(whole("remaining_epochs_until()", epoch))


def current_epoch():
    """The running epoch; None outside of epochs."""
    epoch = engine.current_epoch()
    return None if epoch < 0 else epoch


def finished_epochs():
    """How many are finished, those before restarts too."""
    return engine.finished_epochs()
