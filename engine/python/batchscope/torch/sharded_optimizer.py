# SPDX-License-Identifier: Apache-2.0
"""An optimizer whose state is shared out among the replicas (ZeRO stage 1, Rajbhandari et al. 2020; FairScale's OSS)."""
import torch

from .._native import engine
from . import plain


class ShardedOptimizer(torch.optim.Optimizer):
    """Around any of torch.optim's optimizers that steps each parameter by itself:

        optimizer = ShardedOptimizer(torch.optim.Adam(model.parameters(), lr=1e-3))
        model = AdaptiveDataParallel(model, optimizer)       # or AdaScale(optimizer): outside, for norms of whole gradients

    Each parameter has an owner, the one replica that keeps its state and steps it, and then hands the others its new
    values: K replicas need about a K-th of the memory each, and the numbers are those of the optimizer alone. Schedules and
    scaling rules see this one's groups. In a checkpoint states lie by parameter, so that another number of replicas shares
    them anew.
    """

    def __init__(self, optimizer):
        """Takes the optimizer over, after init_process_group, and after the module has been moved to its device: parameters
        become views of one tensor for each owner. Raises ValueError for LBFGS, which needs all parameters at once, and for a
        parameter whose strides overlap."""
        if not isinstance(optimizer, torch.optim.Optimizer) or isinstance(optimizer, ShardedOptimizer):
            raise TypeError("ShardedOptimizer goes around an optimizer, as in ShardedOptimizer(Adam(model.parameters())), and not "
                            f"around {type(optimizer).__name__}")
        if isinstance(optimizer, torch.optim.LBFGS):
            raise ValueError("ShardedOptimizer: LBFGS steps all parameters at once and cannot be shared out; use SGD, Adam or "
                             "another that steps each by itself")
        self._share, self._sharding = optimizer, None
        self._gathered = None  # states of the other replicas, by the parameter's index
        super().__init__([dict(group) for group in optimizer.param_groups], optimizer.defaults)
        self._sharding = engine.Sharding([group["params"] for group in self.param_groups], self._step_share)
        for number, group in enumerate(optimizer.param_groups):
            group["params"] = self._sharding.own(number)
        self._keep(optimizer.state)

    def step(self, closure=None):
        """Steps what this replica owns and exchanges the parameters; the closure is called once, before, and its loss
        returned. Collective."""
        loss = None
        if closure is not None:
            with torch.enable_grad():
                loss = closure()
        self._gathered = None
        self._sharding.step()
        return loss

    def add_param_group(self, param_group):
        """One more group, shared out as the others, between two steps."""
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
        """Returns the state of the optimizer alone. Raises RuntimeError on a replica that does not have all of it: of
        several, only replica 0 has, after consolidate_state_dict()."""
        if engine.num_replicas() > 1 and (self._gathered is None or engine.replica_rank() > 0):
            raise RuntimeError("ShardedOptimizer: this replica has its share of the states alone; call "
                               "consolidate_state_dict() on every replica, and then state_dict() on replica 0")
        whole = super().state_dict()
        whole["state"] = {**whole["state"], **(self._gathered or {})}
        return whole

    def load_state_dict(self, state_dict):
        """Loads what state_dict gave, of any number of replicas, on each of them: it keeps its share of it."""
        super().load_state_dict(state_dict)
        self._gathered = None
        self._keep(self.state)

    def _keep(self, states):
        """This replica's of these."""
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
    """The optimizer that steps: itself, or the one that a ShardedOptimizer was made from."""
    return optimizer._share if isinstance(optimizer, ShardedOptimizer) else optimizer
