# SPDX-License-Identifier: Apache-2.0
"""One training in Python and in C++: the same numbers at every step, and the same weights at the end."""
import json
import os
import unittest

from replicas import GOLDEN, train


def numbers(value):
    """All there are in lists of lists."""
    return [number for item in value for number in numbers(item)] if isinstance(value, list) else [value]


class Twin(unittest.TestCase):
    def test_python_and_cpp_agree(self):
        for optimizer, micro_batches, replicas in ("sgd", 1, 1), ("sgd", 2, 1), ("sgd", 2, 2), ("adam", 2, 1), ("adam", 1, 2):
            with self.subTest(optimizer=optimizer, micro_batches=micro_batches, replicas=replicas):
                settings = json.dumps({"data": str(GOLDEN / "gns.json"), "optimizer": optimizer,
                                       "micro_batches": micro_batches, "epochs": 4})
                python, cpp = ([json.loads(said) for said in train(program, settings, replicas=replicas)]
                               for program in ("torch_twin.py", os.environ["BATCHSCOPE_TWIN"]))
                for one, other in zip(python, cpp, strict=True):
                    self.assertEqual(one.keys(), other.keys())
                    self.assertGreaterEqual(len(one["losses"]), 16)
                    for name, value in one.items():
                        for place, (here, there) in enumerate(zip(numbers(value), numbers(other[name]), strict=True)):
                            self.assertLessEqual(abs(here - there), 1e-6 * max(1, abs(there)), (name, place))
                self.assertLess(python[0]["losses"][-1], python[0]["losses"][0])
                if micro_batches * replicas > 1:
                    self.assertGreater(max(gain for gain, *_ in python[0]["steps"]), 1.01)


if __name__ == "__main__":
    unittest.main()
