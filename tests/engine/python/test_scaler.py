# SPDX-License-Identifier: Apache-2.0
"""PyTorch's GradScaler in AdaptiveDataParallel and in AdaScale. There is no GPU here: a stand-in scales the loss on the CPU, in fp32, so this shows
what happens to the gradients, the steps and the scale, and nothing of fp16."""
import json
import tempfile
import unittest

import torch
from batchscope.torch.grad_scaler import FollowingScaler
from replicas import train


def trained(epochs, *how, **more):
    return [json.loads(said) for said in train("torch_scaler.py", epochs, *how, **more)]


class Scaler(unittest.TestCase):
    def test_changes_nothing(self):
        """The scaler's scales are powers of two, so that not one bit is another."""
        for replicas, how in (1, []), (1, ["accumulate"]), (2, []), (2, ["accumulate", "clip"]), (1, ["clip"]):
            with self.subTest(replicas=replicas, how=how):
                without, scaled = (trained(4, *how, *scaler, replicas=replicas) for scaler in ([], ["scaler"]))
                for one, other in zip(without, scaled, strict=True):
                    self.assertEqual(one["weights"], other["weights"])
                    self.assertEqual([(step["gain"], step["progress"]) for step in one["steps"]],
                                     [(step["gain"], step["progress"]) for step in other["steps"]])

    def test_skips_what_is_not_finite_on_all_replicas(self):
        for replicas in 1, 2:
            for said in trained(3, "scaler", "overflow", replicas=replicas):
                before, skipped, after = said["steps"][4:7]
                self.assertEqual((before["scale"], skipped["scale"], after["scale"]), (2.0**17, 2.0**16, 2.0**16))
                self.assertEqual((before["progress"], before["bias"]), (skipped["progress"], skipped["bias"]))
                self.assertGreater(after["progress"], skipped["progress"])
                self.assertNotEqual(after["bias"], skipped["bias"])

    def test_survives_a_restart(self):
        whole = trained(4, "scaler")[0]
        with tempfile.TemporaryDirectory() as place:
            trained(1, "scaler", "save", place=place)
            rest = trained(4, "scaler", place=place, restarts=1)[0]
        self.assertEqual(rest["first_scale"], whole["steps"][3]["scale"])
        self.assertEqual((rest["weights"], rest["scaler"]), (whole["weights"], whole["scaler"]))

    def test_belongs_to_one_optimizer(self):
        optimizers = [torch.optim.SGD([torch.nn.Parameter(torch.ones(1))], lr=0.1) for _ in range(2)]
        scaler = torch.cuda.amp.GradScaler(enabled=False)
        scaler.get_growth_factor, scaler.get_backoff_factor, scaler.get_growth_interval = lambda: 2, lambda: 0.5, lambda: 100
        FollowingScaler(scaler, optimizers[0])
        with self.assertRaisesRegex(ValueError, "give each optimizer its own"):
            scaler.step(optimizers[1])
        with self.assertRaisesRegex(ValueError, "another AdaptiveDataParallel's or AdaScale's"):
            FollowingScaler(scaler, optimizers[1])


class AdaScale(unittest.TestCase):
    def trained(self, *how, **more):
        return [json.loads(said) for said in train("torch_adascale_scaler.py", *how, **more)]

    def test_measures_gradients_as_they_are(self):
        """The scaler's scales are powers of two, so that not one bit is another."""
        for replicas, how in (1, []), (1, ["clip"]), (2, ["clip"]):
            with self.subTest(replicas=replicas, how=how):
                without, scaled = (self.trained(*how, *scaler, replicas=replicas) for scaler in ([], ["scaler"]))
                for one, other in zip(without, scaled, strict=True):
                    self.assertEqual(one["weights"], other["weights"])
                    self.assertEqual([(step["gain"], step["averages"]) for step in one["steps"]],
                                     [(step["gain"], step["averages"]) for step in other["steps"]])

    def test_a_skipped_step_leaves_no_trace(self):
        for replicas in 1, 2:
            for said in self.trained("scaler", "overflow", replicas=replicas):
                before, skipped, after = said["steps"][4:7]
                self.assertEqual((before["scale"], skipped["scale"], after["scale"]), (2.0**17, 2.0**16, 2.0**16))
                for name in "gain", "iterations", "averages", "bias":
                    self.assertEqual(before[name], skipped[name])
                    self.assertNotEqual(skipped[name], after[name])

    def test_goes_on_from_its_state(self):
        whole, restored = (self.trained("scaler", *how)[0] for how in ([], ["restored"]))
        self.assertEqual(restored, whole)


if __name__ == "__main__":
    unittest.main()
