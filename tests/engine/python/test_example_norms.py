# SPDX-License-Identifier: Apache-2.0
"""What layers tell of their examples' gradients is what backward passes of single examples give; and one replica's noise scale is that
of the closed form."""
import copy
import math
import os
import unittest

import torch
from batchscope.torch.example_norms import INTERVAL, ExampleNorms
from supervisor import Supervised
from torch import nn
from torch.nn import functional

EXAMPLES = 9


def one_by_one(model, inputs, targets):
    """Returns the sum of the squares of the examples' gradients, and the square of their mean."""
    parameters = [parameter for parameter in model.parameters() if parameter.requires_grad]
    gradients = [torch.cat([gradient.reshape(-1) for gradient in torch.autograd.grad(
        functional.mse_loss(model(inputs[i:i + 1]), targets[i:i + 1]), parameters)]) for i in range(len(inputs))]
    return sum(float(gradient @ gradient) for gradient in gradients), float((sum(gradients) / len(gradients)).square().sum())


def frozen(layer, name):
    getattr(layer, name).requires_grad_(False)
    return layer


class Shares(unittest.TestCase):
    def setUp(self):
        torch.manual_seed(1)

    def check(self, model, *shape, words=None):
        model.double()
        inputs = torch.randint(words, (EXAMPLES, *shape)) if words else torch.randn(EXAMPLES, *shape, dtype=torch.double)
        targets = torch.randn(EXAMPLES, 2, dtype=torch.double)
        expected = one_by_one(model, inputs, targets)
        norms = ExampleNorms(model)
        functional.mse_loss(model(inputs), targets).backward()
        local, total, count = norms.take(EXAMPLES)
        self.assertEqual(count, EXAMPLES)
        self.assertAlmostEqual(local / expected[0], 1, places=9)
        self.assertAlmostEqual(total / expected[1], 1, places=9)
        return norms

    def test_are_those_of_single_examples(self):
        for model, *shape in ((nn.Sequential(nn.Linear(5, 7), nn.Tanh(), nn.Linear(7, 2, bias=False)), 5),
                              (nn.Sequential(nn.Linear(5, 7), nn.LayerNorm(7), nn.ReLU(), nn.Linear(7, 2)), 5),
                              (nn.Sequential(nn.LayerNorm(4), nn.Flatten(), nn.Linear(12, 2)), 3, 4),
                              (nn.Sequential(nn.LayerNorm((3, 4)), nn.Flatten(), nn.Linear(12, 2)), 3, 4),
                              (nn.Sequential(nn.GroupNorm(2, 4), nn.Flatten(), nn.Linear(24, 2)), 4, 6),
                              (nn.Sequential(frozen(nn.Linear(5, 7), "weight"), frozen(nn.LayerNorm(7), "bias"), nn.Linear(7, 2)), 5)):
            with self.subTest(str(model)):
                self.assertEqual(self.check(model, *shape).interval, 1)

    def test_of_many_positions_too(self):
        for model, *shape in ((nn.Sequential(nn.Linear(5, 7), nn.Tanh(), nn.Flatten(), nn.Linear(21, 2)), 3, 5),
                              (nn.Sequential(nn.Linear(50, 70), nn.Tanh(), nn.Flatten(), nn.Linear(210, 2)), 3, 50),
                              (nn.Sequential(nn.Conv1d(4, 6, 3, 2, 1), nn.Flatten(), nn.Linear(30, 2)), 4, 9),
                              (nn.Sequential(nn.Conv2d(4, 6, 3, 2, 1, groups=2), nn.GroupNorm(2, 6), nn.ReLU(),
                                             nn.Conv2d(6, 3, 2, dilation=2, bias=False), nn.Flatten(), nn.Linear(27, 2)), 4, 9, 9)):
            with self.subTest(str(model)):
                self.assertGreater(self.check(model, *shape).interval, 1)

    def test_of_words(self):
        self.check(nn.Sequential(nn.Embedding(6, 4, padding_idx=0), nn.Linear(4, 3), nn.Tanh(), nn.Flatten(), nn.Linear(15, 2)), 5, words=6)

    def test_of_dear_layers_are_asked_once_in_a_while(self):
        model = nn.Sequential(nn.Conv1d(3, 2, 1), nn.Flatten(), nn.Linear(10, 2))
        norms = ExampleNorms(model)
        asked = []
        for _ in range(2 * INTERVAL + 1):
            norms.begin_pass(EXAMPLES)
            functional.mse_loss(model(torch.randn(EXAMPLES, 3, 5)), torch.randn(EXAMPLES, 2)).backward()
            asked.append(norms.take(EXAMPLES)[2])
        self.assertEqual([step for step, count in enumerate(asked) if count], [0, INTERVAL, 2 * INTERVAL])

    def test_are_not_told_where_a_batch_normalisation_trains(self):
        model = nn.Sequential(nn.Linear(5, 4), nn.BatchNorm1d(4), nn.Linear(4, 2))
        norms = ExampleNorms(model)
        for trains, is_told in ((False, True), (True, False)):
            model[1].train(trains)
            model(torch.randn(EXAMPLES, 5)).square().mean().backward()
            self.assertEqual(not math.isnan(norms.take(EXAMPLES)[0]), is_told)

    def test_of_some_layers_stand_for_all(self):
        """The gradient is everything's, and the ratio that of the layers that tell."""
        model = nn.Sequential(nn.Linear(5, 7), nn.Bilinear(7, 7, 2)).double()
        model.forward = lambda inputs: model[1](*2 * [model[0](inputs).tanh()])
        inputs, targets = torch.randn(EXAMPLES, 5, dtype=torch.double), torch.randn(EXAMPLES, 2, dtype=torch.double)
        _, total_of_all = one_by_one(model, inputs, targets)
        model[1].requires_grad_(False)
        local_of_linear, total_of_linear = one_by_one(model, inputs, targets)
        model[1].requires_grad_(True)
        norms = ExampleNorms(model)
        functional.mse_loss(model(inputs), targets).backward()
        local, total, _ = norms.take(EXAMPLES)
        self.assertAlmostEqual(total / total_of_all, 1, places=9)
        self.assertAlmostEqual(local / total / (local_of_linear / total_of_linear), 1, places=9)

    def test_of_micro_batches_are_of_their_mean(self):
        model = nn.Linear(5, 2).double()
        same = copy.deepcopy(model)
        norms = ExampleNorms(model)
        expected = [0, 0]
        for _ in range(3):
            inputs, targets = torch.randn(EXAMPLES, 5, dtype=torch.double), torch.randn(EXAMPLES, 2, dtype=torch.double)
            expected = [sum_ + part / 3 for sum_, part in zip(expected, one_by_one(same, inputs, targets))]
            norms.begin_pass(EXAMPLES)
            (functional.mse_loss(model(inputs), targets) / 3).backward()
        local, total, _ = norms.take(EXAMPLES)
        self.assertAlmostEqual(local / expected[0], 1, places=9)
        self.assertAlmostEqual(total / expected[1], 1, places=9)

    def test_are_not_told_where_they_cannot_be(self):
        twice = nn.Linear(5, 5)
        other = nn.Conv1d(3, 2, 1, padding_mode="circular")
        cases = {"a layer used twice": (twice, lambda x: twice(twice(x)), 5), "no such layer": (other, None, 3, 5), "time first": (nn.Linear(5, 2), lambda x: twice_as_many(x), 5)}
        once = cases["time first"][0]

        def twice_as_many(inputs):
            return once(torch.cat([inputs, inputs]))
        for name, (model, forward, *shape) in cases.items():
            with self.subTest(name):
                norms = ExampleNorms(model)
                (forward or model)(torch.randn(EXAMPLES, *shape)).mean().backward()
                self.assertTrue(math.isnan(norms.take(EXAMPLES)[0]))
        self.assertFalse(ExampleNorms(other).has_layers)

    def test_a_step_that_a_scaler_leaves_out_leaves_no_trace(self):
        model = nn.Linear(5, 2).double()
        inputs, targets = torch.randn(EXAMPLES, 5, dtype=torch.double), torch.randn(EXAMPLES, 2, dtype=torch.double)
        expected = one_by_one(model, inputs, targets)
        norms = ExampleNorms(model)
        for factor in (math.inf, 1):
            norms.begin_pass(EXAMPLES)
            (functional.mse_loss(model(inputs), targets) * factor).backward()
        self.assertAlmostEqual(norms.take(EXAMPLES)[0] / expected[0], 1, places=9)


class OneReplica(Supervised):
    def test_sees_the_noise_scale_of_a_regression(self):
        """At weights of 0, y = s x + e with |s|^2 = d: B = (d^2 + 2 d + d sigma^2 - d) / d = 9 for d = 4 and sigma = 2."""
        self.run_script(f"""
            import batchscope.torch as adl, torch
            from torch import distributed
            distributed.init_process_group("gloo", "file://{self.home}/group", rank=0, world_size=1)
            torch.manual_seed(0)
            model = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(4, 1, bias=False))
            torch.nn.init.zeros_(model.module.weight)
            optimizer = torch.optim.SGD(model.parameters(), lr=0.0)
            monitor = adl.monitor(model, optimizer)
            for step in range(600):
                x = torch.randn(16, 4)
                y = x.sum(1, keepdim=True) + 2 * torch.randn(16, 1)
                optimizer.zero_grad()
                torch.nn.functional.mse_loss(model(x), y).backward()
                torch.nn.utils.clip_grad_norm_(model.parameters(), 1e-3)
                optimizer.step()
            assert abs(monitor.noise_scale / 9 - 1) < 0.15, monitor.noise_scale
            assert monitor.gain == 1 and monitor.efficiency == 1
        """, os.environ["PYTHONPATH"], OPENBLAS_NUM_THREADS="1")
        self.assertEqual(len(self.series("noise_scale")), 600)
        self.assertEqual(self.told("notice"), [])


if __name__ == "__main__":
    unittest.main()
