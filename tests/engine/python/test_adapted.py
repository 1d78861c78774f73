# SPDX-License-Identifier: Apache-2.0
"""Monitor.adapt(): the batch size of a script on DistributedDataParallel follows goodput, its learning rate follows the batch size, and
every sample is had once an epoch, as without it."""
import json
import os
import tempfile
import unittest
import unittest.mock

import batchscope.torch as adl
import torch
from batchscope._native import engine
from batchscope.torch import ddp_loader, ddp_memory
from replicas import train
from torch import distributed
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, IterableDataset, TensorDataset

CASES = ({"adapt": {"max_batch_size": 200}},
         {"adapt": {"max_batch_size": 400, "local_bsz_bounds": [4, 20]}, "optimizer": "Adam", "workers": 2, "epochs": 1, "samples": 1000},
         {"adapt": {"max_batch_size": 9, "scale_lr": False}, "epochs": 1, "samples": 400})


class Adapted(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.cases = list(zip(*(json.loads(said) for said in train("torch_adapted.py", json.dumps(CASES), replicas=2))))

    def test_every_sample_is_had_once_an_epoch(self):
        for case, replicas in zip((2000, 1000, 400), self.cases):
            for epochs in zip(*(said["epochs"] for said in replicas)):
                self.assertEqual(sorted(sample for batches in epochs for batch in batches for sample in batch), list(range(case)))

    def test_the_batch_size_grows_within_its_bounds_and_is_the_same_everywhere(self):
        for most, replicas in zip((100, 20, 4), self.cases):
            one, other = ([[len(batch) for batch in batches] for batches in said["epochs"]] for said in replicas)
            self.assertEqual(one, other)
            self.assertLessEqual(max(map(max, one)), most)
            self.assertEqual(replicas[0]["weights"], replicas[1]["weights"])
        sizes = [len(batch) for batches in self.cases[0][0]["epochs"] for batch in batches]
        self.assertEqual(sizes[:10], [8] * 10)
        self.assertGreater(max(sizes), 16)
        self.assertEqual(len(self.cases[2][0]["epochs"][0][0]), 4)  # 9 samples are 4 for each of two replicas

    def test_the_length_is_that_of_the_size_of_now(self):
        for replicas in self.cases[:1]:
            self.assertGreaterEqual(replicas[0]["length"], len(replicas[0]["epochs"][-1]))

    def test_learning_rates_follow_the_gain(self):
        for power, (said, _) in zip((1, 0.5, 0), self.cases):
            last = said["steps"][-1]
            self.assertEqual(last["lr"], 1e-4)
            self.assertAlmostEqual(last["lr_factor"], max(1, last["gain"]) ** power)
        last = max(self.cases[0][0]["steps"], key=lambda step: step["scale"])
        self.assertGreater(last["gain"], 1.2)
        self.assertAlmostEqual(last["moved"] / 1e-4 / last["lr_factor"], 1, delta=0.02)


class Chosen(unittest.TestCase):
    """The choice alone: a step of a sample takes 1 ms and 10 ms more."""

    def chooser(self, replicas=2):
        chooser = ddp_loader._Chooser(replicas)
        for _ in range(30):
            chooser.learn(8, 0.010 + 0.001 * 8, 0.012 + 0.001 * 8)
        return chooser

    def test_much_noise_asks_for_twice_what_was_measured_at_most(self):
        self.assertLessEqual(self.chooser().chosen(8, (1e-6, 1.0), 8, 1000, 1, 1000), 16)
        self.assertGreater(self.chooser().chosen(8, (1e-6, 1.0), 8, 1000, 1, 1000), 12)

    def test_so_does_a_lone_replica_that_knows_the_noise(self):
        self.assertGreater(self.chooser(1).chosen(8, (1e-6, 1.0), 8, 1000, 1, 1000), 12)
        self.assertEqual(self.chooser(1).chosen(8, (1e-6, 1.0), 8, 1000, 1, 8), 8)
        self.assertEqual(self.chooser(1).chosen(8, (1.0, 1e-6), 8, 1000, 1, 1000), 8)

    def test_no_noise_keeps_the_batch_size_small(self):
        self.assertLessEqual(self.chooser().chosen(8, (1.0, 1e-6), 8, 1000, 1, 1000), 8)

    def test_nothing_is_chosen_of_what_is_not_known(self):
        self.assertEqual(self.chooser().chosen(8, None, 8, 1000, 1, 1000), 8)
        self.assertEqual(ddp_loader._Chooser(2).chosen(8, (1e-6, 1.0), 8, 1000, 1, 1000), 8)


class Kept(unittest.TestCase):
    def test_what_was_learnt_is_known_to_the_next_generation(self):
        with tempfile.TemporaryDirectory() as folder, unittest.mock.patch.dict(os.environ, ADAPTDL_SHARE_PATH=folder):
            noise, again = engine.NoiseScale(None), engine.NoiseScale(None)
            for _ in range(10):
                noise.update(3.0, 1.0, 2, 2.0)
            before, after = ddp_loader._Chooser(2), ddp_loader._Chooser(1)
            for _ in range(30):
                before.learn(8, 0.01, 0.02)

            class Loader:
                times = before.rows()

                @staticmethod
                def remember(times):
                    after.known = {(replicas, size): tuple(rest) for replicas, size, *rest in times}
            self.assertFalse(ddp_memory.Memory(True).recall(again, Loader, 8))
            ddp_memory.Memory(False).keep(noise, Loader, 8)
            self.assertFalse(ddp_memory.Memory(True).recall(again, Loader, 8))
            ddp_memory.Memory(True).keep(noise, Loader, 8)
            self.assertFalse(ddp_memory.Memory(True).recall(again, Loader, 16))
            self.assertTrue(ddp_memory.Memory(True).recall(again, Loader, 8))
            self.assertEqual((again.sqr, again.var), (noise.sqr, noise.var))
            self.assertEqual(after.rows(), [(2, 8, 0.01, 0.02)])


class Stream(IterableDataset):
    def __iter__(self):
        return iter(range(10))


class Mistakes(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        distributed.init_process_group("gloo", f"file://{cls.folder.name}/group", rank=0, world_size=1)

    @classmethod
    def tearDownClass(cls):
        distributed.destroy_process_group()
        cls.folder.cleanup()

    def test_are_told_with_the_remedy(self):
        data = TensorDataset(torch.zeros(64, 2))

        def adapt(loader=None, most=64, monitored=None, **named):
            model = DistributedDataParallel(torch.nn.Linear(2, 1))
            monitor = adl.monitor(model, torch.optim.SGD(model.parameters(), lr=0.1), **(monitored or {}))
            return monitor, monitor.adapt(DataLoader(data, batch_size=8) if loader is None else loader, most, **named)

        for error, text, call in (
                (TypeError, "not a torch.utils.data.DataLoader, but list", lambda: adapt([1])),
                (ValueError, "a Stream have no index to take them by.*dataset with __len__", lambda: adapt(DataLoader(Stream()))),
                (ValueError, "a batch_sampler of its own.*make it with batch_size", lambda: adapt(DataLoader(data, batch_size=None))),
                (ValueError, "max_batch_size 4 is below the loader's batch_size 8", lambda: adapt(most=4)),
                (TypeError, "max_batch_size: 'many' is not a whole number", lambda: adapt(most="many")),
                (ValueError, "local_bsz_bounds must be \\(minimum, maximum\\)", lambda: adapt(local_bsz_bounds=3)),
                (ValueError, "batch_size 8 is not within local_bsz_bounds, 9 to 64", lambda: adapt(local_bsz_bounds=(9, None))),
                (ValueError, "initial_batch_size 99 of monitor\\(\\) is above max_batch_size 64",
                 lambda: adapt(monitored={"initial_batch_size": 99})),
                (ValueError, "adapts a loader already", lambda: adapt()[0].adapt(DataLoader(data, batch_size=8), 64))):
            with self.subTest(text), self.assertRaisesRegex(error, text):
                call()
        with self.assertRaisesRegex(ValueError, "each of the 2 replicas would train on all.*DistributedSampler"):
            ddp_loader.AdaptedLoader(DataLoader(data, batch_size=8), 2, 64, None)
        with self.assertRaisesRegex(ValueError, "of 64 cannot be divided among 16 replicas of at least 8.*raise it, or lower"):
            ddp_loader._limits(8, 16, 64, (8, None))


if __name__ == "__main__":
    unittest.main()
