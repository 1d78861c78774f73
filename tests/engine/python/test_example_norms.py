# SPDX-License-Identifier: Apache-2.0
"""What operations tell of their examples' gradients is what backward passes of single examples give; and one replica's noise scale is that
of the closed form, on DistributedDataParallel and on AdaptiveDataParallel."""
import copy
import json
import math
import os
import tempfile
import unittest

import torch
from batchscope._native import engine
from replicas import train
from supervisor import Supervised
from torch import nn
from torch.nn import functional

EXAMPLES, INTERVAL = 9, 16


def one_by_one(model, inputs, targets, parameters=None):
    """Returns the sum of the squares of the examples' gradients, and the square of their mean."""
    parameters = parameters or [parameter for parameter in model.parameters() if parameter.requires_grad]
    gradients = [torch.cat([gradient.reshape(-1) for gradient in torch.autograd.grad(
        functional.mse_loss(model(inputs[i:i + 1]), targets[i:i + 1]), parameters)]) for i in range(len(inputs))]
    return sum(float(gradient @ gradient) for gradient in gradients), float((sum(gradients) / len(gradients)).square().sum())


def frozen(layer, name):
    getattr(layer, name).requires_grad_(False)
    return layer


class LastOf(nn.Module):
    """A layer that takes its input so many times and returns more than its output."""

    def __init__(self, layer, times=1):
        super().__init__()
        self.layer, self.times = layer, times

    def forward(self, x):
        return self.layer(*self.times * [x])[0]


def asked_of(groups):
    norms = engine.ExampleNorms(groups)
    norms.expect(EXAMPLES)
    return norms


def of(model):
    norms = asked_of([list(model.parameters())])
    norms.listen()
    return norms


def data(*shape):
    return torch.randn(EXAMPLES, *shape, dtype=torch.double), torch.randn(EXAMPLES, 2, dtype=torch.double)


class Shares(unittest.TestCase):
    def setUp(self):
        torch.manual_seed(1)

    def compare(self, told, *expected):
        """A pair of L and T for each group."""
        self.assertEqual(told.count, EXAMPLES)
        for local, total, pair in zip(told.local, told.total, expected, strict=True):
            self.assertAlmostEqual(local / pair[0], 1, places=9)
            self.assertAlmostEqual(total / pair[1], 1, places=9)

    def check(self, model, *shape, words=None):
        model.double()
        inputs, targets = data(*shape)
        inputs = torch.randint(words, inputs.shape) if words else inputs
        expected = one_by_one(model, inputs, targets)
        norms = of(model)
        functional.mse_loss(model(inputs), targets).backward()
        self.compare(norms.take(), expected)

    def test_are_those_of_single_examples(self):
        for model, *shape in ((nn.Sequential(nn.Linear(5, 7), nn.Tanh(), nn.Linear(7, 2, bias=False)), 5),
                              (nn.Sequential(nn.Linear(5, 7), nn.LayerNorm(7), nn.ReLU(), nn.Linear(7, 2)), 5),
                              (nn.Sequential(nn.LayerNorm(4), nn.Flatten(), nn.Linear(12, 2)), 3, 4),
                              (nn.Sequential(nn.LayerNorm((3, 4)), nn.Flatten(), nn.Linear(12, 2)), 3, 4),
                              (nn.Sequential(nn.GroupNorm(2, 4), nn.Flatten(), nn.Linear(24, 2)), 4, 6),
                              (nn.Sequential(frozen(nn.Linear(5, 7), "weight"), frozen(nn.LayerNorm(7), "bias"), nn.Linear(7, 2)), 5),
                              (nn.Sequential(nn.Linear(5, 7), nn.Tanh(), nn.Flatten(), nn.Linear(21, 2)), 3, 5),
                              (nn.Sequential(nn.Linear(50, 70), nn.Tanh(), nn.Flatten(), nn.Linear(210, 2)), 3, 50),
                              (nn.Sequential(nn.Conv1d(4, 6, 3, 2, 1), nn.Flatten(), nn.Linear(30, 2)), 4, 9),
                              (nn.Sequential(nn.Conv2d(4, 6, 3, 2, 1, groups=2), nn.GroupNorm(2, 6), nn.ReLU(),
                                             nn.Conv2d(6, 3, 2, dilation=2, bias=False), nn.Flatten(), nn.Linear(27, 2)), 4, 9, 9),
                              (nn.Sequential(nn.Conv1d(4, 2, 3, padding=1, padding_mode="circular"), nn.Flatten(), nn.Linear(18, 2)), 4, 9)):
            with self.subTest(str(model)):
                self.check(model, *shape)

    def test_of_words(self):
        self.check(nn.Sequential(nn.Embedding(6, 4, padding_idx=0), nn.Linear(4, 3), nn.Tanh(), nn.Flatten(), nn.Linear(15, 2)), 5, words=6)

    def test_of_a_time_that_comes_first(self):
        for times in (3, EXAMPLES):  # memory tells which dimension was the first, but of what comes after it
            model = nn.Sequential(nn.Embedding(6, 4), nn.Linear(4, 2)).double()
            inputs, targets = torch.randint(6, (EXAMPLES, times)), torch.randn(EXAMPLES, times, 2, dtype=torch.double)
            groups = [[model[0].weight], list(model[1].parameters())][:2 if times == 3 else 1]
            norms = asked_of(groups)
            norms.listen()
            functional.mse_loss(model(inputs.T), targets.transpose(0, 1)).backward()
            self.compare(norms.take(), *(one_by_one(model, inputs, targets, group) for group in groups))

    def test_of_the_weights_of_attention(self):
        """Within it the dimensions are turned."""
        for times in (3, EXAMPLES):
            attention = nn.MultiheadAttention(4, 2, batch_first=True).double()
            model = LastOf(attention, 3)
            inputs, targets = torch.randn(EXAMPLES, times, 4, dtype=torch.double), torch.randn(EXAMPLES, times, 4, dtype=torch.double)
            norms = asked_of([[attention.in_proj_weight]])
            norms.listen()
            functional.mse_loss(model(inputs), targets).backward()
            self.compare(norms.take(), one_by_one(model, inputs, targets, [attention.in_proj_weight]))

    def test_by_group(self):
        """Weights and biases are often apart, because only the former decay."""
        model = nn.Sequential(nn.Linear(5, 7), nn.LayerNorm(7), nn.Tanh(), nn.Linear(7, 2)).double()
        groups = [[parameter for parameter in model.parameters() if (parameter.dim() > 1) == is_weight] for is_weight in (True, False)]
        inputs, targets = data(5)
        norms = asked_of(groups)
        norms.listen()
        functional.mse_loss(model(inputs), targets).backward()
        self.compare(norms.take(), *(one_by_one(model, inputs, targets, group) for group in groups))

    def test_are_asked_for_in_all_steps_at_first_then_in_one_of_more_and_more(self):
        model = nn.Linear(5, 2)
        norms = asked_of([list(model.parameters())])
        asked = {}
        for step in range(3 * INTERVAL**2):
            norms.listen()
            functional.mse_loss(model(torch.randn(EXAMPLES, 5)), torch.randn(EXAMPLES, 2)).backward()
            listens = norms.listens
            told = norms.take()
            self.assertEqual((listens, norms.listens), (told is not None, False))
            if told:
                asked[step] = told.steps
        self.assertEqual(sum(asked.values()), 3 * INTERVAL**2)
        steps = list(asked)
        self.assertEqual([later - step for step, later in zip(steps, steps[1:])], list(asked.values())[:-1])
        self.assertEqual(steps[:2 * INTERVAL], list(range(2 * INTERVAL)))
        self.assertEqual(list(asked.values())[-INTERVAL:], [INTERVAL] * INTERVAL)

    def test_go_on_as_rarely_as_before(self):
        model = nn.Linear(5, 2)
        norms = asked_of([list(model.parameters())])
        norms.continue_after(1000)
        for step in range(1000, 1009):
            norms.listen()
            model(torch.randn(EXAMPLES, 5)).square().mean().backward()
            told = norms.take()
            self.assertEqual(told and told.steps, INTERVAL if step == 1008 else None)

    def test_are_not_told_where_a_batch_normalisation_trains(self):
        model = nn.Sequential(nn.Linear(5, 4), nn.BatchNorm1d(4), nn.Linear(4, 2))
        for trains in (False, True):
            norms = of(model)
            model[1].train(trains)
            model(torch.randn(EXAMPLES, 5)).square().mean().backward()
            self.assertEqual(math.isnan(norms.take().local[0]), trains)

    def test_of_some_layers_stand_for_all(self):
        """The gradient is everything's, and the ratio that of the layers that tell."""
        model = nn.Sequential(nn.Linear(5, 7), nn.Bilinear(7, 7, 2)).double()
        model.forward = lambda inputs: model[1](*2 * [model[0](inputs).tanh()])
        inputs, targets = data(5)
        _, total_of_all = one_by_one(model, inputs, targets)
        local, total = one_by_one(model, inputs, targets, list(model[0].parameters()))
        for groups in ([list(model.parameters())], [list(layer.parameters()) for layer in model]):
            norms = asked_of(groups)
            norms.listen()
            functional.mse_loss(model(inputs), targets).backward()
            told = norms.take()
            self.assertAlmostEqual(sum(told.total) / total_of_all, 1, places=9)
            self.assertAlmostEqual(sum(told.local) / sum(told.total) / (local / total), 1, places=9)

    def test_of_a_weight_that_two_layers_share_are_left_out(self):
        """The squares of its two shares are not those of their sum."""
        model = nn.Sequential(nn.Linear(5, 7), nn.Tanh(), nn.Linear(7, 7), nn.Tanh(), nn.Linear(7, 7), nn.Linear(7, 2)).double()
        model[4].weight = model[2].weight
        inputs, targets = data(5)
        others = [parameter for parameter in model.parameters() if parameter is not model[2].weight]
        local, total = one_by_one(model, inputs, targets, others)
        norms = of(model)
        functional.mse_loss(model(inputs), targets).backward()
        told = norms.take()
        self.assertAlmostEqual(told.local[0] / told.total[0] / (local / total), 1, places=9)

    def test_of_micro_batches_are_of_their_mean(self):
        model = nn.Linear(5, 2).double()
        same = copy.deepcopy(model)
        norms = of(model)
        expected = [0, 0]
        for _ in range(3):
            inputs, targets = data(5)
            expected = [sum_ + part / 3 for sum_, part in zip(expected, one_by_one(same, inputs, targets))]
            norms.end_pass()
            (functional.mse_loss(model(inputs), targets) / 3).backward()
        self.compare(norms.take(), expected)

    def test_are_not_told_where_they_cannot_be(self):
        twice, once, kept = nn.Linear(5, 5), nn.Linear(5, 2), nn.Linear(5, 2)

        def backward_twice(inputs):
            output = kept(inputs)
            output.sum().backward(retain_graph=True)
            return output

        for name, model, forward in (("a layer used twice", twice, lambda x: twice(twice(x))),
                                     ("time first", once, lambda x: once(torch.cat([x, x]))),
                                     ("two backward passes", kept, backward_twice)):
            with self.subTest(name):
                norms = of(model)
                forward(torch.randn(EXAMPLES, 5)).mean().backward()
                self.assertTrue(math.isnan(norms.take().local[0]))
        for name, model, *shape in (("padding by name", nn.Conv1d(3, 2, 3, padding="same"), 3, 5), ("recurrent", LastOf(nn.LSTM(5, 2)), 9, 5)):
            with self.subTest(name):
                norms = of(model)
                model(torch.randn(EXAMPLES, *shape)).square().mean().backward()
                self.assertTrue(math.isnan(norms.take().local[0]))

    def test_a_step_that_a_scaler_leaves_out_leaves_no_trace(self):
        model = nn.Linear(5, 2).double()
        inputs, targets = data(5)
        expected = one_by_one(model, inputs, targets)
        norms = of(model)
        for factor in (math.inf, 1):
            norms.end_pass()
            (functional.mse_loss(model(inputs), targets) * factor).backward()
        self.compare(norms.take(), expected)

    def test_what_was_not_a_step_leaves_no_trace(self):
        model = nn.Linear(5, 2).double()
        inputs, targets = data(5)
        norms = of(model)
        for _ in range(2):
            norms.forget()
            norms.listen()
            functional.mse_loss(model(inputs), targets).backward()
        self.compare(norms.take(), one_by_one(model, inputs, targets))


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
            for step in range(300):
                x = torch.randn(64, 4)
                y = x.sum(1, keepdim=True) + 2 * torch.randn(64, 1)
                optimizer.zero_grad()
                torch.nn.functional.mse_loss(model(x), y).backward()
                torch.nn.utils.clip_grad_norm_(model.parameters(), 1e-3)
                optimizer.step()
            assert abs(monitor.noise_scale / 9 - 1) < 0.15, monitor.noise_scale
            assert monitor.gain == 1 and monitor.efficiency == 1
        """, os.environ["PYTHONPATH"], OPENBLAS_NUM_THREADS="1")
        self.assertEqual(len(self.series("noise_scale")), 300)
        self.assertEqual(self.told("notice"), [])


class Averages:
    """The averages of the closed form, of two groups of parameters, which begin with the 12 samples of a step as the initial batch."""

    def __init__(self):
        self.weight, self.sqr, self.var, self.steps = 0, [0, 0], [0, 0], 0

    def add(self, gradients, scale, times=1):
        for _ in range(times):
            kept = 0.999**scale
            self.weight = kept * self.weight + 1 - kept
            for group in range(2):
                of_group = torch.tensor([gradient[group] for gradient in gradients], dtype=torch.double)
                count, local, total = len(gradients), float(of_group.square().sum(1).mean()), float(of_group.mean(0).square().sum())
                self.sqr[group] = kept * self.sqr[group] + (1 - kept) * (count * total - local) / (count - 1)
                self.var[group] = kept * self.var[group] + (1 - kept) * (local - total) * scale / (count - 1)

    def add_examples(self, gradients):
        """Adds a step of one replica, if it is asked: all of the first 32, then every second one."""
        times = 1 if self.steps < 32 else 2
        if self.steps % times == 0:
            self.add(gradients, len(gradients) / 12, times)
        self.steps += 1

    def add_replicas(self, replicas):
        """Adds a step of two, each with its examples' gradients. A short batch tells nothing there."""
        means = [[torch.tensor([gradient[group] for gradient in gradients], dtype=torch.double).mean(0).tolist() for group in range(2)]
                 for gradients in replicas]
        if sum(map(len, replicas)) == 12:
            self.add(means, 1)

    def now(self):
        return [sum(max(value / self.weight, least) for value in values) for values, least in ((self.sqr, 0), (self.var, 1e-6))]


class AdaptiveDataParallel(unittest.TestCase):
    def train(self, epochs, *how, **more):
        return [json.loads(output) for output in train("torch_examples.py", epochs, *how, **more)]

    def compare(self, step, averages, scale):
        sqr, var = averages.now()
        for name, value in (("sqr", sqr), ("var", var), ("gain", (var + sqr) / (var / scale + sqr))):
            self.assertAlmostEqual(step[name] / value, 1, places=9, msg=name)

    def test_has_the_noise_of_the_closed_form(self):
        said, = self.train(10)
        averages = Averages()
        for number, step in enumerate(said["steps"]):
            averages.add_examples(step["gradients"])
            with self.subTest(step=number):
                self.compare(step, averages, len(step["gradients"]) / 12)
        self.assertEqual({len(step["gradients"]) for step in said["steps"]}, {12, 4})
        self.assertEqual((averages.steps, said["notices"]), (40, []))

    def test_the_factor_of_a_loss_is_taken_out(self):
        plain, scaled = (self.train(3, *how)[0]["steps"] for how in ((), ("scaler",)))
        for one, other in zip(plain, scaled, strict=True):
            self.assertAlmostEqual(one["gain"] / other["gain"], 1, places=9)

    def test_a_restart_changes_nothing(self):
        whole, = self.train(12)
        with tempfile.TemporaryDirectory() as place:
            begun, = self.train(9, "save", place=place)
            rest, = self.train(12, place=place, restarts=1)
        self.assertTrue(begun["steps"] + rest["steps"] == whole["steps"])  # assertEqual takes minutes to print a difference
        self.assertEqual(rest["weights"], whole["weights"])

    def test_the_averages_go_on_with_those_of_several_replicas_and_back(self):
        averages = Averages()
        with tempfile.TemporaryDirectory() as place:
            for generation, (replicas, epochs) in enumerate(((1, 3), (2, 5), (1, 8))):
                said = self.train(epochs, "save", place=place, restarts=generation, replicas=replicas)
                if generation:
                    for value, expected in zip(said[0]["first"], averages.now()):
                        self.assertAlmostEqual(value / expected, 1, places=9)
                for number, steps in enumerate(zip(*(each["steps"] for each in said), strict=True)):
                    gradients = [step["gradients"] for step in steps]
                    averages.add_replicas(gradients) if replicas > 1 else averages.add_examples(gradients[0])
                    with self.subTest(generation=generation, step=number):
                        self.compare(steps[0], averages, sum(map(len, gradients)) / 12)

    def test_has_the_noise_of_successive_gradients_where_nothing_is_told(self):
        found, usual = (self.train(3, "doubled", *how)[0] for how in ((), ("gradients",)))
        self.assertTrue(found["steps"] == usual["steps"])
        notice, = found["notices"]
        self.assertRegex(notice, "it is that of successive gradients. An operation tells it if it is called once a step")
        self.assertEqual(usual["notices"], [])


if __name__ == "__main__":
    unittest.main()
