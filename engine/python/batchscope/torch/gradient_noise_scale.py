# SPDX-License-Identifier: Apache-2.0
"""Provides the gradient statistics of an AdaptiveDataParallel, under AdaptDL's names."""
from .._native import engine


class GradientNoiseScale:
    """The averages of an AdaptiveDataParallel's gradient statistics, as they are now: `model.gns`.

    The engine measures them in backward; this class reads them. Under AdamScale they are of preconditioned gradients. Your own
    loop uses AdaScale instead of AdaptiveDataParallel.
    """

    def __init__(self, adp):
        self._parallel = getattr(adp, "_parallel", None)
        if not isinstance(self._parallel, engine.Parallel):
            raise TypeError(f"GradientNoiseScale: an AdaptiveDataParallel is expected, not {type(adp).__name__}; in your own loop "
                            "use AdaScale(optimizer), which measures gradients, too")

    def sqr_avg(self):
        """Returns |true gradient|^2 over all parameter groups."""
        return self._parallel.grad_sqr

    def var_avg(self):
        """Returns the trace of the gradient's covariance at the initial batch size, of all parameter groups."""
        return self._parallel.grad_var

    @property
    def raw_sqr_avg(self):
        """The unclipped average of each parameter group, which may be negative."""
        return self._parallel.sqr_by_group

    @property
    def raw_var_avg(self):
        """The unclipped average of each parameter group, which may be negative."""
        return self._parallel.var_by_group

    def gain(self, scale):
        """Returns the gain of a step at this scale (batch size over the initial one), from 1 to the scale."""
        return self._parallel.gain_at(scale)

    def get_progress(self):
        """Returns the scale-invariant iterations done."""
        return self._parallel.progress

    @property
    def accum_scale(self):
        """Samples of a micro-batch over all replicas, divided by the initial batch size, in the last step."""
        return self._parallel.accum_scale

    @property
    def accum_count(self):
        """Micro-batches of the last step on each replica; 0 before the first step."""
        return self._parallel.accum_count
