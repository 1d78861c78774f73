# SPDX-License-Identifier: Apache-2.0
"""Texts for back-propagation through time: each token once, in columns that go on."""
import collections
import json
import tempfile
import unittest

import batchscope.torch as adl
import torch
from replicas import train


def read(replicas=1, place=None, restarts=0, **settings):
    """The batches of each replica."""
    settings = json.dumps({"tokens": 508, "batch_size": 6, "bptt_len": 5, "epochs": 1, **settings})
    return [[json.loads(line) for line in said.splitlines()]
            for said in train("torch_text.py", settings, replicas=replicas, place=place, restarts=restarts)]


class Text(unittest.TestCase):
    def check(self, generations, tokens):
        targets = collections.Counter(target for replicas in generations for batches in replicas for batch in batches
                                      for target in batch["targets"])
        self.assertEqual(targets, dict.fromkeys(range(1, tokens), 1))

    def test_each_token_once_in_columns_that_go_on(self):
        for replicas, tokens in (1, 68), (2, 61), (2, 68), (2, 3):
            said = read(replicas=replicas, tokens=tokens, batch_size=4)
            self.check([said], tokens)
            for batches in said:
                for before, batch in zip([None, *batches], batches):
                    self.assertTrue(batch["current"] and batch["follow"])
                    self.assertEqual(batch["shape"], [5, len(batch["continues"])])
                    if before is None:
                        self.assertFalse(any(batch["continues"]))
                    elif batch["samples"]:
                        goes_on = [one + 5 == two for one, two in zip(before["first"], batch["first"])]
                        self.assertEqual(batch["continues"], goes_on)

    def test_whatever_the_restarts(self):
        with tempfile.TemporaryDirectory() as place:
            plan = (2, [3, 1]), (2, [2, 0]), (1, [3, 0]), (2, None)
            generations = [read(replicas, place, restarts, signal=at) for restarts, (replicas, at) in enumerate(plan)]
        self.check(generations, 508)
        for replicas in generations:  # each had its share of the pass
            self.assertGreater(len(replicas[0]), 1)

    def test_the_batch_follows_replicas_and_limits(self):
        for batch in read(micro_batches=2, tokens=61, replicas=2)[0]:
            self.assertEqual((batch["batch_size"], batch["local_batch_size"]), (24, 6))
        for batch in read(limit=6, tokens=61)[0]:
            self.assertEqual((batch["batch_size"], batch["local_batch_size"]), (6, 2))

    def test_takes_what_torchtext_called_a_dataset(self):
        said = read(legacy=True, tokens=101, batch_size=4)
        self.check([said], 101)
        self.assertEqual({tuple(batch["shape"]) for batch in said[0]}, {(4, 5)})
        self.assertEqual(len(said[0]), said[0][0]["len"])

    def test_refuses_what_is_no_text(self):
        with self.assertRaisesRegex(ValueError, "remaining_epochs_until"):
            adl.AdaptiveBPTTIterator(torch.arange(100), 4, 5, repeat=True)
        for settings, why in (({"tokens": 1}, "fewer than two tokens"), ({"bptt_len": 0}, "bptt_len is 0")):
            with self.assertRaisesRegex(AssertionError, why):
                read(**settings)


if __name__ == "__main__":
    unittest.main()
