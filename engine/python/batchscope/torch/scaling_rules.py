# SPDX-License-Identifier: Apache-2.0
"""Scaling rules: the factor by which learning rates grow with the batch size."""
import weakref

from .._native import engine


class _Steps:
    """The optimizer's calls on a rule: `rule.step()` is `optimizer.step()`."""

    adp = None

    def initialize(self, adp, optimizer, patch_optimizer=False):
        """Sets the AdaptiveDataParallel that takes the rule, which calls this. It patches its optimizer itself."""
        self.adp = weakref.proxy(adp)

    def step(self, *args, **kwargs):
        """Makes the optimizer's step, at scaled learning rates."""
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
    """Scales by the square root of the gain, for Adam."""


class IdentityScale(_Steps, engine.IdentityScale):
    """Does not scale."""


class LinearScale(_Steps, engine.LinearScale):
    """Scales by the batch size over the initial one."""


class SqrtScale(_Steps, engine.SqrtScale):
    """Scales by the square root of the batch size over the initial one."""


class LEGWScale(_Steps, engine.LEGWScale):
    """Scales as SqrtScale does, after a warm-up of base_warmup_epochs times the scale (LEGW)."""


class ScalingRuleBase(_Steps):
    """The base class of your own rule: derive from it and write scale_lr."""

    def scale_lr(self, scale):
        """Returns the factor at this many times the initial batch size: one number, or one for each parameter group."""
        raise NotImplementedError


def native(rule, groups):
    """Returns the engine's rule for this one. Raises TypeError for a value that is not a rule."""
    if isinstance(rule, ScalingRuleBase):
        return engine.PythonRule(rule.scale_lr, groups)
    if not isinstance(rule, engine.ScalingRule):
        raise TypeError(f"scaling_rule: {rule!r:.60} is not a rule: pass one of scaling_rules, such as "
                        "scaling_rules.LinearScale()")
    return rule
