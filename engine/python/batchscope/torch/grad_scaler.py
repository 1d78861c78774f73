# SPDX-License-Identifier: Apache-2.0
"""Scales the loss for fp16 by PyTorch's own GradScaler."""
from .._native import engine

_FIELDS = {"scale": float, "growth_factor": float, "backoff_factor": float, "growth_interval": int, "_growth_tracker": int}


class FollowingScaler:
    """The engine's scaler in place of one of PyTorch's. scale() of PyTorch's scaler still scales the loss.

    Gradients come out of backward unscaled, so norms and clipping see the unscaled gradients. unscale_() therefore does
    nothing. step() is the optimizer's: it skips a step on all replicas if a gradient on one of them is not finite, and then
    adjusts the scale. update() only sets a scale that it is given.
    """

    def __init__(self, scaler, optimizer):
        if "unscale_" in vars(scaler):
            raise ValueError("mp_scaler: this GradScaler is another AdaptiveDataParallel's or AdaScale's; each needs one of its own")
        self._scaler, self._optimizer = scaler, optimizer
        self.native = engine.GradScaler(scaler.get_scale(), scaler.get_growth_factor(), scaler.get_backoff_factor(),
                                        scaler.get_growth_interval())
        self._state = self.native.state
        self._load_state_dict = scaler.load_state_dict
        scaler.unscale_, scaler.step, scaler.update = self._unscale, self._step, self._update
        scaler.load_state_dict = self._load

    @property
    def scale(self):
        """The factor of the losses since the last follow()."""
        return self._state[0]

    def follow(self):
        """Copies the state of the engine's scaler to PyTorch's."""
        state = self.native.state
        if state != self._state:
            self._state = state
            self._load_state_dict({name: kind(value) for (name, kind), value in zip(_FIELDS.items(), state)})

    def _load(self, state_dict):
        self._load_state_dict(state_dict)
        self.native.restore([float(state_dict[name]) for name in _FIELDS])
        self._state = self.native.state

    def _unscale(self, optimizer):
        self._require(optimizer)

    def _step(self, optimizer):
        self._require(optimizer)
        optimizer.step()

    def _update(self, new_scale=None):
        if new_scale is not None:
            self.native.update(float(new_scale))
            self.follow()

    def _require(self, optimizer):
        if optimizer is not self._optimizer:
            raise ValueError("this GradScaler belongs to another optimizer: give each optimizer its own")
