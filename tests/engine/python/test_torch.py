# SPDX-License-Identifier: Apache-2.0
"""batchscope.torch: AdaptDL's numbers, plain PyTorch's numbers, restarts, and what is refused."""
import json
import unittest

import batchscope.torch as adl
import torch
from batchscope.torch import plain
from replicas import GOLDEN, train


def near(value, recorded):
    if isinstance(recorded, list):
        return len(value) == len(recorded) and all(map(near, value, recorded))
    return abs(value - recorded) < 2e-5 * max(1, abs(recorded))


class Trajectory(unittest.TestCase):
    """The record of a whole run of the reference."""

    def check(self, name, replicas):
        with open(GOLDEN / self.recorded) as file:
            expected = next(one for one in json.load(file)["trajectories"] if one["config"]["name"] == name)
        for output in train("torch_golden.py", self.reference, GOLDEN / self.recorded, name, replicas=replicas):
            got = json.loads(output)
            self.assertEqual(len(got["steps"]), 50)
            for number, (step, recorded) in enumerate(zip(got["steps"], expected["steps"])):
                for key, value in step.items():
                    self.assertTrue(near(value, recorded[key]), (name, number, key, value, recorded[key]))
            for weights, recorded in zip(got.get("weights", []), expected.get("final_weights", [])):
                for value, wanted in zip(weights, recorded):
                    self.assertAlmostEqual(value, wanted, delta=2e-5)


class AdaptDL(Trajectory):
    """The reference's gain, progress and averages at every step, and its weights at the end."""

    reference, recorded = "adaptdl", "gns.json"

    def test_accumulation(self):
        self.check("r1_accum1", 1)

    def test_parameter_groups(self):
        self.check("r1_two_groups_accum1", 1)

    def test_one_replica(self):
        self.check("r1_noaccum", 1)

    def test_two_replicas(self):
        self.check("r2_noaccum", 2)

    def test_two_replicas_with_groups(self):
        self.check("r2_two_groups", 2)

    def test_two_replicas_at_the_initial_batch_size(self):
        self.check("r2_scale1", 2)


class FairScale(Trajectory):
    """AdaScale's gain, and the sum of its gains, at every step."""

    reference, recorded = "fairscale", "fairscale_adascale.json"

    def test_accumulation(self):
        self.check("k2_world1_train", 1)

    def test_loss_that_is_not_scaled(self):
        self.check("k2_world1_fixedw_unscaled", 1)

    def test_two_replicas(self):
        self.check("k1_world2_train", 2)


class Refused(unittest.TestCase):
    def test_single_gradient(self):
        optimizer = torch.optim.SGD([torch.nn.Parameter(torch.ones(1))], lr=0.1)
        with self.assertRaisesRegex(RuntimeError, "single replica without accumulation"):
            adl.AdaScale(optimizer)

    def test_training_outside_of_epochs(self):
        with self.assertRaisesRegex(ValueError, "inside remaining_epochs_until"):
            for _ in adl.AdaptiveDataLoader(range(4)):
                self.fail("a batch is handed out")

    def test_numbers_that_are_none(self):
        for call in (lambda: adl.remaining_epochs_until("3"), lambda: adl.AdaptiveDataLoader(range(4), batch_size=1.5),
                     lambda: adl.AdaptiveDataLoader(range(4)).autoscale_batch_size("8")):
            with self.assertRaisesRegex(TypeError, "is not a whole number"):
                call()
        with self.assertRaisesRegex(ValueError, r"local_bsz_bounds must be \(minimum, maximum\)"):
            adl.AdaptiveDataLoader(range(4)).autoscale_batch_size(8, (4,))

    def test_data_without_numbers(self):
        for data, name in (((x for x in range(4)), "generator"), ({1, 2}, "set"), (torch.utils.data.Dataset(), "Dataset")):
            with self.assertRaisesRegex(ValueError, f"of type {name} has none: give it one with __len__ and __getitem__"):
                adl.AdaptiveDataLoader(data)

    def test_batches_of_nothing(self):
        with self.assertRaisesRegex(ValueError, "batch_size is 0: at least 1 is needed"):
            adl.AdaptiveDataLoader(range(4), batch_size=0)

    def test_sums_that_are_not_added_up_yet(self):
        sums = adl.Accumulator()
        for call in (lambda: sums["loss"] / 2, lambda: float(sums["loss"]), lambda: f"{sums['loss']:.3f}",
                     lambda: sums["loss"] > 1):
            with self.assertRaisesRegex(TypeError, r"sums\['loss'\] is read within"):
                call()

    def test_sums_are_there_only_within_synchronized(self):
        sums = adl.Accumulator()
        sums["loss"] += 1
        self.assertNotIn("loss", sums)
        with sums.synchronized():
            self.assertIn("loss", sums)

    def test_a_module_and_an_optimizer_that_do_not_go_together(self):
        train("torch_refused.py")


class TwoModules(unittest.TestCase):
    def test_the_second_loss_through_the_first_module_while_that_is_frozen(self):
        first, second = train("torch_two_modules.py", replicas=2)
        self.assertEqual(first, second)
        self.assertEqual(train("torch_two_modules.py", "unfrozen", replicas=2), [first, second])


class Checkpointed(unittest.TestCase):
    """Activations that are computed anew in backward, by backwards within it, next to the loss."""

    def test_trains_as_without(self):
        for replicas, accumulation in ((1, 0), (1, 1), (2, 0), (2, 1)):
            plain, checkpointed = (train("torch_checkpointed.py", how, accumulation, replicas=replicas)
                                   for how in ("plain", "checkpointed"))
            self.assertEqual(plain, checkpointed)


class Rules(unittest.TestCase):
    def test_a_rule_steps_and_clears_as_its_optimizer(self):
        by_optimizer = train("torch_rule.py", "optimizer")
        self.assertEqual(train("torch_rule.py", "engine's"), by_optimizer)
        self.assertEqual(train("torch_rule.py", "own"), by_optimizer)
        self.assertTrue(by_optimizer[0].startswith("1.41"))


class Growth(unittest.TestCase):
    def test_of_one_replica_only_where_it_may(self):
        without, single = (int(train("torch_growth.py", may)[0]) for may in (0, 1))
        self.assertEqual(without, 10)
        self.assertGreater(single, 10)


class NoiseMode(unittest.TestCase):
    def test_tracking_is_nearer_to_the_noise_of_now(self):
        adaptdl, tracking = (float(train("torch_noise_mode.py", mode)[0]) for mode in ("adaptdl", "tracking"))
        self.assertGreater(tracking, 2 * adaptdl)


class ZeroGradients(unittest.TestCase):
    def test_are_none_or_zeros(self):
        weight = torch.nn.Parameter(torch.ones(2))
        optimizer = adl.AdaScale(torch.optim.SGD([weight], lr=0.1), num_gradients_to_accumulate=2)
        for set_to_none in (False, True, False):
            for _ in range(2):
                (weight.square().sum() / 2).backward()
            optimizer.step()
            optimizer.zero_grad(set_to_none)
            self.assertEqual(weight.grad if set_to_none else weight.grad.tolist(), None if set_to_none else [0, 0])
        self.assertTrue(0 <= weight[0] < 1)


class Sampler(unittest.TestCase):
    def test_takes_what_is_left_of_an_epoch(self):
        sampler = adl.ElasticSampler(range(10), shuffle=False)
        self.assertEqual(list(sampler), list(range(10)))
        sampler.set_epoch(1, index=17)  # in its second pass
        self.assertEqual((len(sampler), list(sampler)), (3, [7, 8, 9]))

    def test_shares_out_among_any_replicas(self):
        sampler = adl.ElasticSampler(range(10), shuffle=False)
        sampler.num_replicas = 5
        shares = []
        for sampler.rank in range(5):
            shares += sampler
        self.assertEqual(sorted(shares), list(range(10)))

    def test_shuffles_anew_in_each_epoch(self):
        sampler = adl.ElasticSampler(range(10))
        first = list(sampler)
        sampler.set_epoch(1)
        self.assertNotEqual(first, list(sampler))
        self.assertEqual(sorted(sampler), list(range(10)))


class Plain(unittest.TestCase):
    """States as bytes without code."""

    def restored(self, make):
        weight = torch.nn.Parameter(torch.ones(3))
        one, other = make([weight]), make([weight])
        weight.grad = torch.tensor([1.0, 2.0, 3.0])
        one.step()
        other.load_state_dict(plain.load(plain.dump(one.state_dict())))
        return one.state_dict(), other.state_dict()

    def test_optimizers(self):
        for kind in (torch.optim.SGD, torch.optim.Adam, torch.optim.AdamW, torch.optim.Adadelta, torch.optim.RMSprop,
                     torch.optim.Adagrad):
            with self.subTest(kind.__name__):
                one, other = self.restored(lambda parameters: kind(parameters, lr=0.1))
                self.assertEqual(one["param_groups"], other["param_groups"])
                self.assertEqual(str(one["state"]), str(other["state"]))

    def test_schedules(self):
        schedules = {"step": lambda o: torch.optim.lr_scheduler.StepLR(o, 2),
                     "multi-step": lambda o: torch.optim.lr_scheduler.MultiStepLR(o, [2, 4]),
                     "lambda": lambda o: torch.optim.lr_scheduler.LambdaLR(o, lambda epoch: 0.5**epoch),
                     "one-cycle": lambda o: torch.optim.lr_scheduler.OneCycleLR(o, 1, total_steps=10)}
        for name, make in schedules.items():
            with self.subTest(name):
                rates = []
                for again in (False, True):
                    optimizer = torch.optim.SGD([torch.nn.Parameter(torch.ones(1))], lr=0.1)
                    schedule = make(optimizer)
                    for step in range(6):
                        if again and step == 3:
                            state = plain.dump([optimizer.state_dict(), schedule.state_dict()])
                            optimizer = torch.optim.SGD([torch.nn.Parameter(torch.ones(1))], lr=0.1)
                            schedule = make(optimizer)
                            for part, saved in zip((optimizer, schedule), plain.load(state)):
                                part.load_state_dict(saved)
                        optimizer.step()
                        schedule.step()
                        rates.append(optimizer.param_groups[0]["lr"])
                self.assertEqual(rates[:6], rates[6:])

    def test_refuses_what_is_no_value(self):
        with self.assertRaisesRegex(TypeError, "object.*checkpoint.State"):
            plain.dump({"thing": object()})


if __name__ == "__main__":
    unittest.main()
