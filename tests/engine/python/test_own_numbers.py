# SPDX-License-Identifier: Apache-2.0
"""Replicas draw random numbers of their own, though their scripts set one seed, and others after a restart."""
import json
import random
import tempfile
import unittest

import numpy
from replicas import train


def drawn(*arguments, **more):
    """Returns what each replica drew first, by generator."""
    return [json.loads(said) for said in train("torch_own_numbers.py", *arguments, **more)]


class OwnNumbers(unittest.TestCase):
    def test_rank_0_draws_those_of_the_seed_and_the_others_their_own(self):
        seeded = {"random": random.Random(1).random(), "numpy": numpy.random.RandomState(1).rand()}
        lone, = drawn()
        first, second, third = drawn(replicas=3)
        self.assertEqual({name: lone[name] for name in seeded}, seeded)
        self.assertEqual(first, lone)
        for name in lone:
            self.assertEqual(len({first[name], second[name], third[name]}), 3, name)
        self.assertEqual(drawn(replicas=3), [first, second, third])  # the seed says which

    def test_none_draws_again_what_it_drew_before_a_restart(self):
        for how, names in ([], ("torch", "random", "numpy")), (["own"], ("random", "numpy")):
            with tempfile.TemporaryDirectory() as place:
                before = drawn(*how, "stop", place=place, replicas=2)
                after = drawn(*how, "stop", place=place, replicas=2, restarts=1) + drawn(*how, place=place, replicas=2, restarts=2)
            for name in names:
                self.assertEqual(len({one[name] for one in before + after}), 6, (how, name))


if __name__ == "__main__":
    unittest.main()
