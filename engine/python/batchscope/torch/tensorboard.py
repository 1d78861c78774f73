# SPDX-License-Identifier: Apache-2.0
"""AdaptDL's to_tensorboard, for all classes that have it."""


def write(writer, global_step, tag_prefix, values):
    """Writes values by tag into a SummaryWriter, below a prefix with or without its "/"."""
    prefix = tag_prefix if not tag_prefix or tag_prefix.endswith("/") else tag_prefix + "/"
    for tag, value in values.items():
        writer.add_scalar(prefix + tag, value, global_step)
