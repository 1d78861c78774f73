# SPDX-License-Identifier: Apache-2.0
"""Records of a script before init_process_group, where the engine takes over."""
import os
import unittest

from supervisor import Supervised


class Early(Supervised):
    def test_is_told(self):
        self.run_script("""
            import batchscope
            import batchscope.torch as adl
            import torch

            batchscope.hyperparameters(lr=0.1)
            batchscope.record(parameters=2)
            batchscope.notice("here it begins", "warning")
            adl.init_process_group()
            loader = adl.AdaptiveDataLoader(torch.utils.data.TensorDataset(torch.randn(24, 1)), batch_size=8)
            model = torch.nn.Linear(1, 1)
            optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
            model = adl.AdaptiveDataParallel(model, optimizer)
            for epoch in adl.remaining_epochs_until(1):
                for x, in loader:
                    optimizer.zero_grad()
                    model(x).square().mean().backward()
                    optimizer.step()
            """, os.environ["PYTHONPATH"], ADAPTDL_NUM_REPLICAS="1", ADAPTDL_NUM_RESTARTS="0",
                        ADAPTDL_CHECKPOINT_PATH=str(self.home / "checkpoints"))
        self.assertEqual([message["values"] for message in self.told("hyperparameters")], [{"lr": "0.1"}])
        self.assertIn("here it begins", [message["text"] for message in self.told("notice")])
        self.assertEqual(self.series("parameters"), {0: 2})
        self.assertEqual(len(self.series("gain")), 3)


if __name__ == "__main__":
    unittest.main()
