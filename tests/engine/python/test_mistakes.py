# SPDX-License-Identifier: Apache-2.0
"""Mistakes that people make in scripts on PyTorch are told by name, with the remedy: one table."""
import json
import re
import unittest

from batchscope.torch import ddp_loader
from replicas import train

SAID = {
    "no init_process_group": r"RuntimeError: AdaptiveDataParallel: call init_process_group\(\) before",
    "monitor: no process group": r"TypeError: .*but Linear: call torch\.distributed\.init_process_group\(\), then wrap it",
    "monitor: no DistributedDataParallel": r"TypeError: .*but Linear: wrap it by torch\.nn\.parallel\.DistributedDataParallel\(model\)",
    "monitor: model moved after the optimizer": r"ValueError: .*no parameter of the model: make it of model\.parameters\(\), after the model was moved",
    "adapt: a stream": r"ValueError: adapt\(\): the samples of a generator have no index.*__len__ and __getitem__, such as a list",
    "adapt: a batch above the bounds": "ValueError: .*batch_size 8 is not within local_bsz_bounds, 1 to 4",
    "adapt: less than one batch": "ValueError: .*max_batch_size 4 is below the loader's batch_size 8",
    "record: a tensor of several": "TypeError: loss: .* is not a number; for a tensor of several numbers, record the mean",
    "record: no name": r"TypeError: record\(\): give values by name, as in record\(loss=0\.7\)",
    "both groups": "RuntimeError: .*has called batchscope.torch.init_process_group.*train by AdaptiveDataParallel.*or leave that call out",
    "model moved after the optimizer": r"the optimizer has a parameter that is not the module's: make it from module\.parameters\(\)",
    "a generator as data set": "ValueError: .*of type generator has none: give it one with __len__ and __getitem__, such as a list",
    "a batch size of none": "ValueError: batch_size is 0: at least 1 is needed",
    "a largest batch below the first": "ValueError: max_batch_size 4 is below the batch size 8",
    "a sampler of its own": "ValueError: AdaptiveDataLoader has its own order: leave 'sampler' and 'batch_sampler' out",
}


class Mistakes(unittest.TestCase):
    def test_are_told_by_name_with_the_remedy(self):
        said = json.loads(train("torch_mistakes.py")[0])
        self.assertEqual(set(said), set(SAID))
        for mistake, text in SAID.items():
            with self.subTest(mistake):
                self.assertTrue(re.search(text, said[mistake]), said[mistake])

    def test_a_batch_that_cannot_be_divided_among_the_replicas(self):
        with self.assertRaisesRegex(ValueError, "of 64 cannot be divided among 16 replicas of at least 8.*raise it, or lower the minimum"):
            ddp_loader._limits(8, 16, 64, (8, None))


if __name__ == "__main__":
    unittest.main()
