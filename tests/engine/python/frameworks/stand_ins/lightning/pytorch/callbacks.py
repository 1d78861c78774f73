# SPDX-License-Identifier: Apache-2.0
"""Callback and its hooks, as Lightning 2 documents them."""
from interface import require

_T = "trainer", "module"
_HOOKS = {**{name: (_T, {}) for name in (
    "on_fit_start", "on_fit_end", "on_train_start", "on_train_end", "on_train_epoch_start", "on_train_epoch_end", "on_validation_start",
    "on_validation_end", "on_validation_epoch_start", "on_validation_epoch_end", "on_sanity_check_start", "on_sanity_check_end")},
    "on_train_batch_start": ((*_T, "batch", 0), {}), "on_train_batch_end": ((*_T, "outputs", "batch", 0), {}),
    "on_validation_batch_start": ((*_T, "batch", 0), {"dataloader_idx": 0}),
    "on_validation_batch_end": ((*_T, "outputs", "batch", 0), {"dataloader_idx": 0}), "on_exception": ((*_T, "exception"), {})}


class Callback:
    def __init_subclass__(cls):
        require(cls, _HOOKS)
