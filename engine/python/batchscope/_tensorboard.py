# SPDX-License-Identifier: Apache-2.0
"""Records what a script writes by TensorBoard's SummaryWriter, of PyTorch or tensorboardX. Tags keep their names, except tags
that plainly mean loss or accuracy of training or validation: these get the common name, which the charts know."""

import functools
import re

from . import _imports, _recorder

VALIDATION = {"val", "valid", "validation", "test", "eval", "dev"}
TRAINING = {"train", "training"}
QUANTITIES = {"loss": "loss", "accuracy": "accuracy", "acc": "accuracy"}

_series = {}  # tag: series


def common_name(tag):
    """Maps "train/loss" to "loss", "Loss/test" to "validation_loss", "val_acc" to "accuracy"; any other tag to None."""
    words = re.split(r"[/_.\- ]+", tag.lower())
    quantities = [QUANTITIES[word] for word in words if word in QUANTITIES]
    rest = {word for word in words if word not in QUANTITIES}
    if len(quantities) != 1 or len(rest) > 1:
        return None
    if rest <= TRAINING:
        return quantities[0] if quantities[0] == "loss" or not rest else None
    if rest <= VALIDATION:
        return "validation_loss" if quantities[0] == "loss" else "accuracy"
    return None


def series_of(tag):
    """Returns the series of a tag, always the same one. Of several tags with the same meaning the first gets the common name."""
    if tag not in _series:
        name = common_name(tag)
        _series[tag] = name if name and name not in _series.values() else tag
    return _series[tag]


def record(tag, value, step):
    try:
        step = None if step is None else int(step)
        _recorder.number(tag, value)
    except (TypeError, ValueError):
        return  # the writer may know more than numbers
    _recorder.current().record_at(series_of(tag), value, step)


def follow(module):
    """Wraps the SummaryWriter of a module that has been imported."""
    writer = module.SummaryWriter
    add_scalar, add_scalars = writer.add_scalar, writer.add_scalars

    @functools.wraps(add_scalar)
    def add_scalar_and_record(self, tag, scalar_value, global_step=None, *arguments, **named):
        result = add_scalar(self, tag, scalar_value, global_step, *arguments, **named)
        record(tag, scalar_value, global_step)
        return result

    @functools.wraps(add_scalars)
    def add_scalars_and_record(self, main_tag, tag_scalar_dict, global_step=None, *arguments, **named):
        result = add_scalars(self, main_tag, tag_scalar_dict, global_step, *arguments, **named)
        for tag, value in tag_scalar_dict.items():
            record(f"{main_tag}/{tag}", value, global_step)
        return result

    writer.add_scalar, writer.add_scalars = add_scalar_and_record, add_scalars_and_record


@functools.lru_cache(maxsize=None)  # once
def start() -> None:
    for module in ("torch.utils.tensorboard.writer", "tensorboardX.writer"):
        _imports.when_imported(module, follow)
