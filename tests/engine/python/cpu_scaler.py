# SPDX-License-Identifier: Apache-2.0
"""PyTorch's GradScaler but for scale(), which PyTorch 1.13 has for GPUs alone."""
import torch

torch.cuda.amp.grad_scaler.amp_definitely_not_available = lambda: False  # or it would be disabled without a GPU


class Scaler(torch.cuda.amp.GradScaler):
    def scale(self, loss):
        if not self.is_enabled():
            return loss
        if self._scale is None:
            self._lazy_init_scale_growth_tracker(loss.device)
        return loss * self._scale
