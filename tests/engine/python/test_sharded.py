# SPDX-License-Identifier: Apache-2.0
"""Optimizers whose state is shared out: the numbers are those of PyTorch alone, whatever the number of replicas and wherever it
changes, and no state is kept twice."""
import functools
import json
import tempfile
import unittest

import batchscope.torch as adl
import torch
from replicas import train

PARAMETERS = 6  # of the program's model


def trained(*also, how="sharded", epochs=4, replicas=1, **more):
    """Returns what each replica says of each optimizer."""
    settings = {"how": how, "epochs": epochs, "and": also}
    return [json.loads(said) for said in train("torch_sharded.py", json.dumps(settings), replicas=replicas, **more)]


@functools.cache
def plain(*also):
    return trained(*also, how="plain")[0]


class Sharded(unittest.TestCase):
    def check(self, replicas, reference):
        for said in replicas:
            self.assertEqual(said.keys(), reference.keys())
            for optimizer, one in said.items():
                with self.subTest(optimizer):
                    self.assertEqual(one["rates"], reference[optimizer]["rates"])
                    for value, expected in zip(one["weights"], reference[optimizer]["weights"], strict=True):
                        self.assertAlmostEqual(value, expected, delta=1e-6)

    def test_equals_plain_pytorch(self):
        for replicas in 1, 2:
            for also in (), ("clip",), ("accumulate",), ("accumulate", "clip"):
                with self.subTest(replicas=replicas, also=also):
                    self.check(trained(*also, replicas=replicas), plain(*(word for word in also if word == "clip")))

    def test_adascale_outside_is_adascale_without_it(self):
        for replicas in 1, 2:
            whole, sharded = (trained("adascale", how=how, replicas=replicas) for how in ("whole", "sharded"))
            self.check(sharded, whole[0])
            for said in sharded:
                self.assertGreater(max(said["sgd"]["gains"]), 1.1)
                for gain, expected in zip(said["sgd"]["gains"], whole[0]["sgd"]["gains"], strict=True):
                    self.assertAlmostEqual(gain, expected, delta=1e-6)

    def test_keeps_each_state_once(self):
        first, second = trained(epochs=1, replicas=2)
        for optimizer in first:
            shares = first[optimizer]["states"], second[optimizer]["states"]
            self.assertEqual(sum(shares), PARAMETERS, optimizer)
            self.assertGreater(min(shares), 0)

    def test_goes_on_with_another_number(self):
        """Checkpoints of as many replicas, read by as many others."""
        with tempfile.TemporaryDirectory() as place:
            for generation, replicas in enumerate((1, 2, 1)):
                said = trained("save", epochs=(1, 3, 4)[generation], replicas=replicas, place=place, restarts=generation)
        self.check(said, plain())

    def test_is_fairscales(self):
        """The case of FairScale's test_oss_adascale.py, test_sequential."""
        for how in "whole", "sharded":
            for said in map(json.loads, train("torch_sharded.py", "fairscale", how, replicas=2)):
                self.assertAlmostEqual(said["gain"] / 1.0335265132125744, 1, delta=1e-6)
                self.assertAlmostEqual(said["mean_weight"] / 52.92657661437988, 1, delta=1e-6)


class Alone(unittest.TestCase):
    """One process."""

    def setUp(self):
        self.first, self.second = (torch.nn.Parameter(torch.zeros(1)) for _ in range(2))

    def test_calls_the_closure_once(self):
        optimizer = adl.ShardedOptimizer(torch.optim.SGD([self.first], lr=0.5))
        losses = []

        def closure():
            optimizer.zero_grad()
            losses.append((self.first * 3).sum())
            losses[-1].backward()
            return losses[-1]

        self.assertIs(optimizer.step(closure), losses[0])
        self.assertEqual((len(losses), self.first.item()), (1, -1.5))

    def test_steps_by_its_own_groups(self):
        optimizer = adl.ShardedOptimizer(torch.optim.SGD([self.first], lr=0.5))
        optimizer.param_groups[0]["lr"] = 2
        optimizer.add_param_group({"params": [self.second], "lr": 4})
        (self.first + self.second).backward()
        optimizer.step()
        self.assertEqual((self.first.item(), self.second.item()), (-2, -4))

    def test_its_state_dict_is_the_optimizers(self):
        def adam(lr):
            return torch.optim.Adam([self.first, self.second], lr=lr)

        def step(optimizer):
            self.first.grad, self.second.grad = torch.ones(1), torch.full((1,), 2.0)
            optimizer.step()

        alone, sharded, later = adam(0.1), adl.ShardedOptimizer(adam(0.1)), adl.ShardedOptimizer(adam(0.3))
        step(alone)
        step(sharded)
        self.assertEqual(str(sharded.state_dict()), str(alone.state_dict()))
        later.load_state_dict(alone.state_dict())
        step(alone)
        step(later)
        self.assertEqual(str(later.state_dict()), str(alone.state_dict()))

    def test_refuses_what_needs_all_at_once(self):
        with self.assertRaisesRegex(ValueError, "LBFGS"):
            adl.ShardedOptimizer(torch.optim.LBFGS([self.first]))
        for wrong in ([self.first], adl.ShardedOptimizer(torch.optim.SGD([self.first], lr=0.1))):
            with self.assertRaisesRegex(TypeError, "goes around an optimizer"):
                adl.ShardedOptimizer(wrong)


if __name__ == "__main__":
    unittest.main()
