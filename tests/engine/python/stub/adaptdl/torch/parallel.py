# SPDX-License-Identifier: Apache-2.0
from adaptdl.torch import _metrics
from adaptdl.torch.data import current_dataloader
from adaptdl.torch.scaling_rules import AdaScale


class NoiseScale:
    _mp_scaler = None

    def __init__(self):
        self.metrics = _metrics._metrics_state()
        self.progress = self.metrics.progress

    def sqr_avg(self):
        return 2.0

    def var_avg(self):
        return 6.0

    def get_progress(self):
        return self.progress

    def gain(self, scale):
        return (6.0 + 2.0) / (6.0 / scale + 2.0)


class AdaptiveDataParallel:
    class State:
        lr_factor = 1.0

    def __init__(self, model, optimizer, lr_scheduler=None):
        self.gns, self._state, self.scaling_rule = NoiseScale(), self.State(), AdaScale()
        self.require_backward_grad_sync, self.scale = True, 1.0
        self.scaling_rule.adp, self.scaling_rule._optimizer = self, optimizer
        optimizer.step = self.scaling_rule.step

    @property
    def gain(self):
        return self.gns.gain(self.scale)

    def __call__(self):
        """Forward and backward."""
        loader = current_dataloader()
        self.require_backward_grad_sync = loader.is_optim_step()
        self.scale = loader.current_batch_size / loader.batch_size
        self._state.lr_factor = self.gain
        self.gns.metrics.grad_params = (self.gns.sqr_avg(), self.gns.var_avg())
