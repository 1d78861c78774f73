# SPDX-License-Identifier: Apache-2.0
"""The gradient statistics of an AdaptiveDataParallel, under AdaptDL's names."""
from .._native import engine


class GradientNoiseScale:
    """The averages of an AdaptiveDataParallel's gradient statistics, as they are now: `model.gns`.

    The engine measures them in backward, by AdaptiveDataParallel or by AdaScale, which suits a loop of one's own; this tells
    of them. Under AdamScale they are of preconditioned gradients.
    """

    def __init__(self, adp):
        self._parallel = getattr(adp, "_parallel", None)
        if not isinstance(self._parallel, engine.Parallel):
            raise TypeError(f"GradientNoiseScale: an AdaptiveDataParallel is expected, not {type(adp).__name__}; a loop of one's "
                            "own takes AdaScale(optimizer), which measures gradients, too")

    def sqr_avg(self):
        """Returns |true gradient|^2, of all parameter groups."""
        return self._parallel.grad_sqr

    def var_avg(self):
        """Returns the trace of the gradient's covariance at the initial batch size, of all parameter groups."""
        return self._parallel.grad_var

    @property
    def raw_sqr_avg(self):
        """The average of each parameter group as it is, which may be negative."""
        return self._parallel.sqr_by_group

    @property
    def raw_var_avg(self):
        """The average of each parameter group as it is, which may be negative."""
        return self._parallel.var_by_group

    def gain(self, scale):
        """Returns the gain of a step of so many times the initial batch size, from 1 to the scale."""
        return self._parallel.gain_at(scale)

    def get_progress(self):
        """Returns the scale-invariant iterations done."""
        return self._parallel.progress

    @property
    def accum_scale(self):
        """The batch of a micro-step of all replicas over the initial batch size, as of the last step."""
        return self._parallel.accum_scale

    @property
    def accum_count(self):
        """Micro-batches of the last step, of each replica; 0 before the first."""
        return self._parallel.accum_count
