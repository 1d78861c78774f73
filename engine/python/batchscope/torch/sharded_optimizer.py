# SPDX-License-Identifier: Apache-2.0
"""An optimizer with its state divided among the replicas (ZeRO stage 1, Rajbhandari et al. 2020; FairScale's OSS)."""
import torch

from .._native import engine
from . import plain


class ShardedOptimizer(torch.optim.Optimizer):
    """Wraps any of torch.optim's optimizers that steps each parameter separately:

        optimizer = ShardedOptimizer(torch.optim.Adam(model.parameters(), lr=1e-3))
        model = AdaptiveDataParallel(model, optimizer)       # or AdaScale(optimizer): outside, for norms of whole gradients

    Each parameter has an owner: the replica that keeps its state, steps it, and sends the new values to the others. Each of K
    replicas needs about a K-th of the memory, and the numbers are those of the optimizer alone. Schedules and scaling rules see
    this optimizer's groups. A checkpoint holds the states by parameter, so that another number of replicas can divide them again.
    """

    def __init__(self, optimizer):
        """Takes the optimizer over. Call it after init_process_group, and after the module has been moved to its device: parameters
        become views of one tensor for each owner. Raises ValueError for LBFGS, which needs all parameters at once, and for a
        parameter with overlapping strides."""
        if not isinstance(optimizer, torch.optim.Optimizer) or isinstance(optimizer, ShardedOptimizer):
            raise TypeError("ShardedOptimizer goes around an optimizer, as in ShardedOptimizer(Adam(model.parameters())), not "
                            f"around {type(optimizer).__name__}")
        if isinstance(optimizer, torch.optim.LBFGS):
            raise ValueError("ShardedOptimizer: LBFGS steps all parameters at once and cannot be divided; use SGD, Adam or "
                             "another optimizer that steps each parameter separately")
        self._share, self._sharding = optimizer, None
        self._gathered = None  # states of the other replicas, by the parameter's index
        super().__init__([dict(group) for group in optimizer.param_groups], optimizer.defaults)
        self._sharding = engine.Sharding([group["params"] for group in self.param_groups], self._step_share)
        for number, group in enumerate(optimizer.param_groups):
            group["params"] = self._sharding.own(number)
        self._keep(optimizer.state)

    def step(self, closure=None):
        """Steps the parameters that this replica owns, and exchanges them. A closure is called once before, and its loss is
        returned. Collective."""
        loss = None
        if closure is not None:
            with torch.enable_grad():
                loss = closure()
        self._gathered = None
        self._sharding.step()
        return loss

    def add_param_group(self, param_group):
        """Adds a group, divided like the others, between two steps."""
        super().add_param_group(param_group)
        if self._sharding is not None:  # else it is one of those that the optimizer had
            self._sharding.add_param_group(self.param_groups[-1]["params"])

    def consolidate_state_dict(self):
        """Brings all replicas' states to replica 0, where they stay in memory until the next step. Collective.
        AdaptiveDataParallel's checkpoints need no such call."""
        own = super().state_dict()["state"]
        gathered = {}
        for owner in range(1, engine.num_replicas()):
            states = self._sharding.broadcast(plain.dump(own) if owner == engine.replica_rank() else b"", owner)
            if engine.replica_rank() == 0:
                gathered.update(plain.load(states))
        self._gathered = gathered

    def state_dict(self):
        """Returns the state of the optimizer alone. Raises RuntimeError on a replica that does not have the whole state: of
        several replicas, only replica 0 has it, after consolidate_state_dict()."""
        if engine.num_replicas() > 1 and (self._gathered is None or engine.replica_rank() > 0):
            raise RuntimeError("ShardedOptimizer: this replica has only its own share of the states; call "
                               "consolidate_state_dict() on every replica, and then state_dict() on replica 0")
        whole = super().state_dict()
        whole["state"] = {**whole["state"], **(self._gathered or {})}
        return whole

    def load_state_dict(self, state_dict):
        """Loads the result of state_dict, from any number of replicas. Call it on each replica; each keeps its share."""
        super().load_state_dict(state_dict)
        self._gathered = None
        self._keep(self.state)

    def _keep(self, states):
        """Keeps this replica's share of these states."""
        own = {parameter: states[parameter] for group in self._share.param_groups for parameter in group["params"]
               if parameter in states}
        self._share.state.clear()
        self._share.state.update(own)
        self.state = self._share.state

    def _step_share(self, _rates):
        """Steps this replica's share, with the options that the groups have now."""
        share = self._share.param_groups
        for number, group in enumerate(self.param_groups):
            options = {name: value for name, value in group.items() if name != "params"}
            if number < len(share):
                share[number].update(options)
            else:
                self._share.add_param_group({**options, "params": self._sharding.own(number)})
        self._share.step()

    def __repr__(self):
        return f"ShardedOptimizer({self._share!r})"


def unwrap(optimizer):
    """Returns the optimizer that steps: this one, or the one inside a ShardedOptimizer."""
    return optimizer._share if isinstance(optimizer, ShardedOptimizer) else optimizer
