# SPDX-License-Identifier: Apache-2.0
"""Scaling rules: by which factor learning rates grow with the batch size."""
import weakref

from .._native import engine


class _Steps:
    """The calls by which a rule stands for the optimizer that it scales: `rule.step()` is `optimizer.step()`."""

    adp = None

    def initialize(self, adp, optimizer, patch_optimizer=False):
        """Called by the AdaptiveDataParallel that takes the rule. It patches its optimizer itself."""
        self.adp = weakref.proxy(adp)

    def step(self, *args, **kwargs):
        """The optimizer's step, at scaled learning rates."""
        self._require_adp()
        return self.adp._optimizer.step(*args, **kwargs)

    def zero_grad(self, *args, **kwargs):
        """Clears the gradients, but not in the middle of accumulation."""
        self._require_adp()
        self.adp.zero_grad(*args, **kwargs)

    def _require_adp(self):
        if self.adp is None:
            raise ValueError(f"{type(self).__name__}: first pass it to an AdaptiveDataParallel as scaling_rule")


class AdaScale(_Steps, engine.AdaScale):
    """Scales by the gain of each parameter group."""


class AdamScale(_Steps, engine.AdamScale):
    """Scales by the root of the gain, as it suits Adam."""


class IdentityScale(_Steps, engine.IdentityScale):
    """Not at all."""


class LinearScale(_Steps, engine.LinearScale):
    """Scales by the batch size over the initial one."""


class SqrtScale(_Steps, engine.SqrtScale):
    """Scales by the root of the batch size over the initial one."""


class LEGWScale(_Steps, engine.LEGWScale):
    """Scales as SqrtScale does, after a warm-up of base_warmup_epochs times the scale (LEGW)."""


class ScalingRuleBase(_Steps):
    """A rule of one's own: derive from it and write scale_lr."""

    def scale_lr(self, scale):
        """The factor at this many times the initial batch size: a number, or one for each parameter group."""
        raise NotImplementedError


def native(rule, groups):
    """The engine's rule that this one is, or stands for. TypeError for what is not a rule."""
    if isinstance(rule, ScalingRuleBase):
        return engine.PythonRule(rule.scale_lr, groups)
    if not isinstance(rule, engine.ScalingRule):
        raise TypeError(f"scaling_rule: {rule!r:.60} is not a rule: pass one of scaling_rules, such as "
                        "scaling_rules.LinearScale()")
    return rule
