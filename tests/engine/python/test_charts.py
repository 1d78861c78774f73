#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The charts of a script on batchscope.torch, with and without a word of its own."""
import os
import unittest

from supervisor import Supervised

SCRIPT = """
    import batchscope, sys, torch
    import batchscope.torch as adl

    adl.init_process_group()
    data = torch.utils.data.TensorDataset(torch.arange(1.0, 9.0).view(8, 1))
    loader = adl.AdaptiveDataLoader(data, batch_size=4)
    module = torch.nn.Linear(1, 1, bias=False)
    torch.nn.init.zeros_(module.weight)
    optimizer = torch.optim.SGD(module.parameters(), lr=0)
    model = adl.AdaptiveDataParallel(module, optimizer)
    for epoch in adl.remaining_epochs_until(1):
        for numbers, in loader:
            optimizer.zero_grad()
            loss = (model(numbers) - numbers).square().mean()
            loss.backward()
            OWN
            optimizer.step()
        sums = adl.Accumulator()
        with torch.no_grad():
            for numbers, in adl.AdaptiveDataLoader(data, batch_size=4):
                sums["loss"] += numbers.sum().item()
        with sums.synchronized():
            sums["mean"] = sums["loss"] / len(data)
"""


class Charts(Supervised):
    def train(self, own):
        self.run_script(SCRIPT.replace("OWN", own), os.environ["PYTHONPATH"], ADAPTDL_NUM_REPLICAS="1", ADAPTDL_NUM_RESTARTS="0",
                        ADAPTDL_CHECKPOINT_PATH=str(self.home / "checkpoints"))

    def test_of_a_script_that_records_nothing_the_loss_and_the_sums(self):
        self.train("pass")
        self.assertEqual(self.series("loss"), {1: 30 / 4, 2: 174 / 4})
        self.assertEqual((self.series("accumulator/loss"), self.series("mean")), ({2: 36}, {2: 4.5}))

    def test_of_one_that_records_what_it_records(self):
        self.train("batchscope.record(error=loss / 2)")
        self.assertEqual(self.series("error"), {1: 15 / 4, 2: 87 / 4})
        self.assertEqual((self.series("mean"), self.series("accumulator/loss")), ({}, {}))

    def test_of_one_that_logs_as_with_wandb_what_it_logs(self):
        self.train("""if batchscope.run is None:
                batchscope.init(project="p", config={"lr": 0})
            batchscope.log({"error": loss / 2, "picture": batchscope.Image()}, step=100)
            batchscope.summary["best"] = 3""")
        self.assertEqual((self.series("error"), self.series("best")), ({1: 15 / 4, 2: 87 / 4}, {1: 3, 2: 3}))
        self.assertIn({"lr": "0"}, [message["values"] for message in self.told("hyperparameters")])
        self.assertEqual([message["text"] for message in self.told("notice")], ["picture is not recorded: Image is not a number"])

    def test_by_itself_it_says_that_nothing_is_logged(self):
        printed = self.run_script(SCRIPT.replace("OWN", "batchscope.init(reinit=True).log({'error': loss})"), os.environ["PYTHONPATH"],
                                  supervised=False)
        self.assertIn("nothing is recorded: a script on batchscope.torch is recorded only if you start it with `batchscope run`", printed)


if __name__ == "__main__":
    unittest.main()
