# SPDX-License-Identifier: Apache-2.0
"""Where steps are made, and what is told of them: the batch size for TensorBoard between loops, the hyperparameters of a script
that names none, and loops over data that are not an AdaptiveDataLoader's."""
import json
import os
import unittest

from replicas import train
from supervisor import Supervised

SCRIPT = """
    import batchscope, json
    import batchscope.torch as adl
    import torch

    class Writer:
        def add_scalar(self, tag, value, step):
            print(json.dumps([tag, value, step]))

    adl.init_process_group()
    data = torch.utils.data.TensorDataset(torch.arange(1.0, 9.0).view(8, 1))
    LOADER
    module = torch.nn.Linear(1, 1)
    optimizer = torch.optim.SGD(module.parameters(), lr=0.5)
    schedule = torch.optim.lr_scheduler.StepLR(optimizer, 1)
    model = adl.AdaptiveDataParallel(module, optimizer, schedule)
    for epoch in adl.remaining_epochs_until(2):
        for numbers, in loader:
            optimizer.zero_grad()
            model(numbers).square().mean().backward()
            optimizer.step()
        schedule.step()
        AFTER
"""
ADAPTIVE = "loader = adl.AdaptiveDataLoader(data, batch_size=4); loader.autoscale_batch_size(8, (2, 8), gradient_accumulation=True)"
PLAIN = "loader = torch.utils.data.DataLoader(data, batch_size=4)"


class Steps(Supervised):
    def train(self, loader, after="pass"):
        return self.run_script(SCRIPT.replace("LOADER", loader).replace("AFTER", after), os.environ["PYTHONPATH"],
                               ADAPTDL_NUM_REPLICAS="1", ADAPTDL_NUM_RESTARTS="0",
                               ADAPTDL_CHECKPOINT_PATH=str(self.home / "checkpoints"))

    def notices(self):
        return [message["text"] for message in self.told("notice") if message["level"] == "warning"]

    def test_batch_sizes_for_tensorboard_after_the_loop(self):
        printed = self.train(ADAPTIVE, "loader.to_tensorboard(Writer(), epoch, 'train')").splitlines()
        first = {tag: value for tag, value, step in map(json.loads, printed) if step == 0}
        self.assertEqual(first.keys(), {"train/Total_Batch_Size", "train/Local_Batch_Size", "train/Accumulation_Steps"})
        total = first["train/Local_Batch_Size"] * (first["train/Accumulation_Steps"] + 1)
        self.assertEqual(first["train/Total_Batch_Size"], total)
        self.assertTrue(4 <= total <= 8)
        self.assertEqual(len(printed), 6)

    def test_what_the_gradients_say_for_tensorboard(self):
        loader = "loader = adl.AdaptiveDataLoader(data, batch_size=4); loader.scale_by_replicas(2)"
        printed = self.train(loader, "model.to_tensorboard(Writer(), epoch)").splitlines()
        first = {tag: value for tag, value, step in map(json.loads, printed) if step == 0}
        self.assertEqual(first.keys(), {"Gradient_Norm_Sqr", "Gradient_Variance", "Gain", "Learning_Rate_Factor", "Accum_Scale",
                                        "Accum_Count", "Progress"})
        # AdaptDL's: a micro-batch over the initial batch, and how many there are in a step.
        self.assertEqual((first["Accum_Scale"], first["Accum_Count"]), (1, 2))

    def test_hyperparameters_of_a_script_that_names_none(self):
        self.train(ADAPTIVE)
        self.assertEqual([message["values"] for message in self.told("hyperparameters")], [
            {"optimizer": "SGD", "lr": "0.5", "scaling_rule": "AdaScale", "batch_size": "4", "max_batch_size": "8",
             "min_local_batch_size": "2", "max_local_batch_size": "8", "gradient_accumulation": "True"}])
        self.assertEqual(self.notices(), [])

    def test_of_one_that_names_its_own(self):
        self.train("batchscope.hyperparameters(depth=3); " + ADAPTIVE)
        self.assertEqual([message["values"] for message in self.told("hyperparameters")], [{"depth": "3"}])

    def test_a_plain_loader_on_one_replica_is_told_once(self):
        self.train(PLAIN)
        (notice,) = self.notices()
        self.assertIn("outside of a loop over an AdaptiveDataLoader", notice)

    def test_a_plain_loader_on_several_is_refused(self):
        for said in train("torch_own_data.py", replicas=2):
            self.assertIn("each of the 2 replicas trains on all of the data", said)
        self.assertEqual(train("torch_own_data.py"), ["trained\n"])


if __name__ == "__main__":
    unittest.main()
