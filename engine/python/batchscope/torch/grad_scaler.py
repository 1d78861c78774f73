# SPDX-License-Identifier: Apache-2.0
"""Loss scaling for fp16 by PyTorch's own GradScaler."""
from .._native import engine

_FIELDS = {"scale": float, "growth_factor": float, "backoff_factor": float, "growth_interval": int, "_growth_tracker": int}


class FollowingScaler:
    """The engine's scaler in the place of one of PyTorch's, whose scale() goes on to scale the loss.

    Gradients are unscaled as they come out of backward, so that norms and clipping are of the loss's own: unscale_() has
    nothing left to do, and step() is the optimizer's, which leaves a step out on all replicas where a gradient of one is not
    finite, and then backs off or grows. update() sets a scale where it is given one; else it has happened already.
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
        """The factor by which losses were multiplied until follow() is called."""
        return self._state[0]

    def follow(self):
        """Gives PyTorch's scaler what the engine's is now."""
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
