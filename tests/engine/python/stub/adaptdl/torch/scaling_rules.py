# SPDX-License-Identifier: Apache-2.0
class ScalingRuleBase:
    adp = _optimizer = None

    def step(self):
        if not self.adp.require_backward_grad_sync:
            return
        noise = self.adp.gns
        noise.progress += noise.gain(self.adp.scale)
        noise.metrics.progress = noise.progress
        self._optimizer.updates += 1


class AdaScale(ScalingRuleBase):
    pass
