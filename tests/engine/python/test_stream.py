# SPDX-License-Identifier: Apache-2.0
"""Data without a length: each sample of a stream is used once a pass, whatever the replicas, the steps and the restarts."""
import json
import os
import pathlib
import tempfile
import unittest
from collections import Counter

import batchscope.torch as adl
import torch
from replicas import train
from torch.utils.data import IterableDataset


class Streams(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.place = folder.name
        self.generation = 0

    def run_on(self, replicas, length, epochs, *how):
        """Returns what each replica of the next generation printed, and the samples that were counted as used, by epoch."""
        log = pathlib.Path(self.place, "log")
        log.mkdir(exist_ok=True)
        os.environ["BATCHSCOPE_SAMPLE_LOG"] = str(log)
        try:
            said = train("torch_stream.py", length, epochs, *how, replicas=replicas, place=self.place, restarts=self.generation)
        finally:
            del os.environ["BATCHSCOPE_SAMPLE_LOG"]
        said = [[json.loads(line) for line in each.splitlines()] for each in said]
        used = Counter()
        for rank, printed in enumerate(said):
            file = log / f"samples-g{self.generation}-r{rank}.jsonl"
            logged = [json.loads(line) for line in file.read_text().splitlines()] if file.exists() else []
            training = [line for line in logged if line["loader"] == "python-0"]
            if not {"turn", "shared", "shards"}.intersection(how):  # a number is its sample's position
                self.check_padding([line["numbers"] for line in printed if "numbers" in line], [line["ids"] for line in training])
            used.update((line["epoch"], sample) for line in training for sample in line["ids"])
        self.generation += 1
        return said, used

    def check_padding(self, handed_out, used):
        """Checks that the used samples were handed out, and beside them only single ones that keep the replica in step."""
        rest = iter(used)
        wanted = next(rest, None)
        for numbers in handed_out:
            if numbers == wanted:
                wanted = next(rest, None)
            else:
                self.assertEqual(len(numbers), 1)
        self.assertIsNone(wanted)

    def once(self, length, epochs=1):
        return Counter((epoch, sample) for epoch in range(epochs) for sample in range(length))

    def test_each_sample_once(self):
        for replicas in (1, 2, 3):
            for length in (1, 7, 12, 13):
                with self.subTest(replicas=replicas, length=length):
                    self.setUp()
                    said, used = self.run_on(replicas, length, 2)
                    self.assertEqual(used, self.once(length, 2))
                    self.assertEqual({len(printed) for printed in said}, {2 * -(-length // 6) + 1})

    def test_over_restarts_on_other_numbers_of_replicas(self):
        for how in ([], ["skip"], ["accumulate"]):
            with self.subTest(how=how):
                self.setUp()
                used = Counter()
                for replicas, stop in ((2, ["stop=3"]), (1, ["stop=2"]), (3, [])):
                    said, more = self.run_on(replicas, 100, 2, *how, *stop)
                    used += more
                self.assertEqual(used, self.once(100, 2))
                reads = {printed[-1]["reads"] for printed in said}
                self.assertTrue(all(read < 200 if how == ["skip"] else read == 200 for read in reads), reads)

    def test_shards_over_restarts_which_open_none_again(self):
        handed_out, reads = Counter(), []
        for replicas, stop in ((2, ["stop=9"]), (1, ["stop=3"]), (3, [])):
            said, _ = self.run_on(replicas, 100, 2, "shards", *stop)
            handed_out.update((line["epoch"], number) for printed in said for line in printed for number in line.get("numbers", ()))
            reads.append(said[0][-1].get("reads"))
        self.assertEqual(handed_out, self.once(100, 2))
        self.assertLess(reads[-1], 140)  # 28 are left of the first epoch

    def test_shards_in_another_order_each_epoch(self):
        lines = self.run_on(1, 100, 2, "shards")[0][0][:-1]
        first, second = ([number for line in lines if line["epoch"] == epoch for number in line["numbers"]] for epoch in (0, 1))
        self.assertNotEqual(first, second)
        self.assertEqual(sorted(first), sorted(second))

    def test_each_epoch_in_an_order_of_its_own(self):
        said, used = self.run_on(1, 8, 2, "turn")
        self.assertEqual([line["numbers"] for line in said[0][:-1]], [[0, 1, 2, 3, 4, 5], [6, 7], [1, 2, 3, 4, 5, 6], [7, 0]])

    def test_accumulation(self):
        for replicas in (1, 2):
            with self.subTest(replicas=replicas):
                self.setUp()
                said, used = self.run_on(replicas, 32, 2, "accumulate")
                self.assertEqual(used, self.once(32, 2))
                self.assertEqual(said[0][0]["size"], 12 * replicas)

    def test_a_batch_size_that_grows_within_the_pass(self):
        said, used = self.run_on(1, 1500, 1, "grow")
        self.assertEqual(used, self.once(1500))
        self.assertGreater(said[0][-2]["size"], 6)

    def test_branches_of_a_checkpoint_use_the_same_samples(self):
        orders = []
        for size in (3, 12):
            self.setUp()
            self.run_on(1, 100, 3, "stop=3")
            os.environ["BATCHSCOPE_BRANCH"] = json.dumps({"run": "origin", "checkpoint": "checkpoint-000000", "step": 3, "progress": 3.0,
                                                          "batch_size": size, "samples": 150, "metric": "loss", "tolerance": None})
            try:
                said, used = self.run_on(1, 100, 3)  # the rest of an epoch, and a part of the next
            finally:
                del os.environ["BATCHSCOPE_BRANCH"]
            self.assertEqual({line["size"] for line in said[0]}, {size})
            orders.append([number for line in said[0] for number in line["numbers"]])
        self.assertEqual(orders[0], [*range(18, 100), *range(68)])
        self.assertEqual(orders[1], orders[0])

    def test_drop_last(self):
        for length, left in ((12, 12), (17, 12)):
            self.setUp()
            self.assertEqual(self.run_on(2, length, 1, "drop_last")[1], self.once(left))
        self.setUp()
        self.assertIn("drops the whole dataset: it has 5 samples", self.run_on(2, 5, 1, "drop_last")[0][0][-1]["error"])

    def test_validation_uses_each_sample_once_without_padding(self):
        said, _ = self.run_on(3, 13, 1, "validate")
        validated = [number for printed in said for line in printed for number in line.get("validated", ())]
        self.assertEqual(sorted(validated), list(range(13)))

    def test_a_stream_that_cannot_begin_anew(self):
        error = self.run_on(1, 8, 2, "once")[0][0][-1]["error"]
        self.assertIn("the stream has no samples: let it start from its beginning each time", error)

    def test_a_stream_that_is_shared_out_already(self):
        error = self.run_on(2, 13, 1, "shared")[0][0][-1]["error"]
        self.assertIn("the stream ends after 6 samples on one replica and not on another", error)

    def test_a_stream_that_has_become_shorter(self):
        self.run_on(1, 100, 1, "stop=3")
        error = self.run_on(1, 10, 1)[0][0][-1]["error"]
        self.assertIn("the stream ends after 10 samples, of which 18 were used before the checkpoint", error)


class Refused(unittest.TestCase):
    def test_arguments_that_a_stream_cannot_have(self):
        for remedy, arguments in (("leave 'shuffle' out", {"shuffle": True}), ("leave 'num_workers' out", {"num_workers": 2})):
            with self.assertRaisesRegex(ValueError, remedy):
                adl.AdaptiveDataLoader(IterableDataset(), **arguments)
        with self.assertRaisesRegex(TypeError, "a stream, such as this IterableDataset, has no length"):
            len(adl.AdaptiveDataLoader(IterableDataset()))

    def test_shards_that_are_none(self):
        with self.assertRaisesRegex(ValueError, "Shards: there are none: is the folder or the pattern of the files right"):
            adl.Shards([], open)
        with self.assertRaisesRegex(TypeError, "read is called with a shard and yields its samples, and 'rb' cannot be called"):
            adl.Shards(["a"], "rb")

    def test_a_generator(self):
        with self.assertRaisesRegex(ValueError, "or a torch.utils.data.IterableDataset, whose __iter__ begins anew"):
            adl.AdaptiveDataLoader(number for number in range(4))


if __name__ == "__main__":
    unittest.main()
