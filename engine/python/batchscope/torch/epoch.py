# SPDX-License-Identifier: Apache-2.0
"""Counts epochs across restarts."""
from .._native import engine
from .._recorder import whole


def remaining_epochs_until(epoch):
    """Iterates over the remaining epochs: `for epoch in remaining_epochs_until(30)`.

    After a restart the loop continues in the epoch of the checkpoint. Loops over data that this epoch had finished are
    skipped; the code between them runs again. Leaving an epoch by `break` finishes it; an exception does not.
    """
    return engine.Epochs(whole("remaining_epochs_until()", epoch))


def current_epoch():
    """Returns the running epoch; None outside of epochs."""
    epoch = engine.current_epoch()
    return None if epoch < 0 else epoch


def finished_epochs():
    """Returns the number of finished epochs, including those before restarts."""
    return engine.finished_epochs()
