# SPDX-License-Identifier: Apache-2.0
"""Scaling rules: by which factor learning rates grow with the batch size."""
from .._native import engine

AdaScale = engine.AdaScale
AdamScale = engine.AdamScale
IdentityScale = engine.IdentityScale
LinearScale = engine.LinearScale
SqrtScale = engine.SqrtScale
LEGWScale = engine.LEGWScale


class ScalingRuleBase:
    """A rule of one's own: derive from it and write scale_lr."""

    def scale_lr(self, scale):
        """The factor at this many times the initial batch size: a number, or one for each parameter group."""
        raise NotImplementedError


def native(rule, groups):
    """The engine's rule that this one is, or stands for; None stays None. TypeError for what is not a rule."""
    if isinstance(rule, ScalingRuleBase):
        return engine.PythonRule(rule.scale_lr, groups)
    if rule is not None and not isinstance(rule, engine.ScalingRule):
        raise TypeError(f"scaling_rule: one of scaling_rules is expected, such as scaling_rules.LinearScale(), and {rule!r:.60} "
                        "is none")
    return rule
