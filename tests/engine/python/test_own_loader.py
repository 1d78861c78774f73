# SPDX-License-Identifier: Apache-2.0
"""A loader of one's own on AdaptiveDataLoaderMixin has the samples and the losses of AdaptiveDataLoader, and goes on in the
middle of its loop after a restart."""
import json
import tempfile
import unittest
from collections import Counter

from replicas import train


def steps(*arguments, **more):
    return [[json.loads(line) for line in said.splitlines()] for said in train("torch_own_loader.py", *arguments, **more)]


class OwnLoader(unittest.TestCase):
    def test_trains_as_adaptivedataloader_does(self):
        for replicas, how in (1, []), (2, []), (1, ["accumulate"]):
            with self.subTest(replicas=replicas, how=how):
                own, plain = (steps(2, kind, *how, replicas=replicas) for kind in ("own", "plain"))
                self.assertTrue(all(step.pop("is_own") for rank in own for step in rank))
                self.assertFalse(any(step.pop("is_own") for rank in plain for step in rank))
                self.assertEqual(own, plain)

    def test_each_sentence_once_an_epoch_whatever_the_restarts(self):
        with tempfile.TemporaryDirectory() as place:
            ranks = steps(3, "own", "stop", place=place, replicas=2) + steps(3, "own", place=place, restarts=1)
        seen = Counter((step["epoch"], sample) for rank in ranks for step in rank for sample in step["ids"])
        self.assertEqual(seen, Counter((epoch, sample) for epoch in range(3) for sample in range(40)))


if __name__ == "__main__":
    unittest.main()
