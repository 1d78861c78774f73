#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A script on AdaptDL reports by itself, where the supervisor has put the hook's folder before it, and nothing else is changed
by that. AdaptDL is a stand-in of its shape (stub/adaptdl)."""

import pathlib
import unittest

from supervisor import PACKAGE, Supervised

HOOK = PACKAGE / "hook"
STUB = pathlib.Path(__file__).parent / "stub"
TRAIN = (STUB / "train.py").read_text()


class Hook(Supervised):
    def train(self, epochs=2, seconds=0.001, *path, **more):
        (self.home / "checkpoints").mkdir(exist_ok=True)
        script = TRAIN.replace("sys.argv[1]", f"'{epochs}'").replace("sys.argv[2]", f"'{seconds}'")
        return self.run_script(script, *(path or (HOOK, STUB)), ADAPTDL_CHECKPOINT_PATH=str(self.home / "checkpoints"), **more)

    def test_an_unchanged_script_reports_every_step(self):
        self.train()
        # 32 batches of 32 samples in an epoch, the last of 8, two of them a step.
        steps = range(1, 33)
        for name, value in {"scale": 2, "gain": 8 / 5, "lr_factor": 8 / 5, "lr": 0.16, "batch_size": 64,
                            "local_batch_size": 16, "accumulation_steps": 1, "replicas": 2, "efficiency": 0.8,
                            "noise_scale": 96}.items():
            for step, told in self.series(name).items():
                self.assertAlmostEqual(told, value, msg=f"{name} at {step}")
            self.assertEqual(list(self.series(name)), list(steps), name)
        self.assertEqual(self.series("samples")[16], 1000)
        self.assertEqual(self.series("samples")[32], 2000)
        self.assertAlmostEqual(self.series("progress")[32], 32 * 8 / 5)
        for step, seconds in self.series("step_time").items():
            self.assertGreaterEqual(seconds, 0.002)
            self.assertAlmostEqual(self.series("sync_time")[step], 0.001)
            self.assertAlmostEqual(self.series("throughput")[step], (64 if step % 16 else 40) / seconds)
            self.assertAlmostEqual(self.series("goodput")[step], self.series("throughput")[step] * 0.8)

    def test_epochs_results_and_the_model(self):
        self.train()
        self.assertEqual([(mark["epoch"], mark["begin"], mark["step"]) for mark in self.told("epoch")],
                         [(0, True, 0), (0, False, 16), (1, True, 16), (1, False, 32)])
        self.assertEqual(self.series("accuracy"), {16: 0.75, 32: 0.75})
        self.assertEqual(self.series("correct"), {16: 75, 32: 75})
        self.assertFalse(self.series("note"))
        model = self.told("model")[0]
        self.assertEqual((model["init_batch_size"], model["max_batch_size"], model["accumulation"]), (32, 256, True))
        self.assertEqual((model["min_local_batch_size"], model["max_local_batch_size"]), (8, 64))
        self.assertEqual(model["perf"][-1], 1.5)
        self.assertEqual(set(self.series("model_step_time").values()), {0.005})
        self.assertEqual(self.told("position")[-1]["epochs"], 2)
        asked, = self.told("hyperparameters")
        self.assertEqual(asked["values"], {"optimizer": "Optimizer", "scaling_rule": "AdaScale", "batch_size": "32",
                                           "max_batch_size": "256", "min_local_batch_size": "8",
                                           "max_local_batch_size": "64", "gradient_accumulation": "True"})

    def test_a_restart_goes_on_behind_the_last_step(self):
        script = "import os, signal, threading\n" + TRAIN.replace("sys.argv[1]", "'2'").replace("sys.argv[2]", "'0.001'").replace(
            "model()\n", "model()\n            done = globals().setdefault('done', []); done.append(1)\n"
            "            len(done) == 40 and os.environ['ADAPTDL_NUM_RESTARTS'] == '3' and os.kill(os.getpid(), signal.SIGTERM)\n")
        (self.home / "checkpoints").mkdir()
        variables = {"ADAPTDL_CHECKPOINT_PATH": str(self.home / "checkpoints")}
        process = self.start(script, HOOK, STUB, **variables)
        printed, _ = process.communicate()
        self.assertEqual(process.returncode, 143, printed)
        self.run_script(script, HOOK, STUB, ADAPTDL_NUM_RESTARTS="4", **variables)
        written, = self.told("checkpoint")
        self.assertEqual((written["name"], written["step"], written["epoch"]), ("checkpoint-3", 20, 1))
        self.assertGreater(written["bytes"], 0)
        self.assertLessEqual(written["last_step"], written["began"])
        fresh, gone_on = self.told("restored")
        self.assertEqual((fresh["step"], fresh["checkpoint"]), (0, ""))
        self.assertEqual((gone_on["step"], gone_on["checkpoint"]), (20, "checkpoint-3"))
        self.assertEqual(list(self.series("gain")), list(range(1, 33)))
        self.assertEqual(self.series("samples")[32], 2000)
        self.assertEqual([(mark["epoch"], mark["begin"]) for mark in self.told("epoch")],
                         [(0, True), (0, False), (1, True), (1, False)])
        self.assertEqual(self.series("accuracy"), {16: 0.75, 32: 0.75})

    def test_other_ranks_say_that_they_are_there(self):
        self.train(rank=1)
        self.assertEqual([len(self.told(kind)) for kind in ("hello", "restored", "steps", "epoch")], [1, 1, 0, 0])

    def test_without_a_supervisor_adaptdl_is_untouched(self):
        printed = self.run_script("""
            import adaptdl.torch
            print(hasattr(adaptdl.torch.init_process_group, "__wrapped__"))
        """, HOOK, STUB, supervised=False)
        self.assertEqual(printed, "False\n")

    def test_an_adaptdl_of_another_shape_is_left_alone(self):
        for folder, text in {"adaptdl": "", "adaptdl/torch": "def init_process_group(backend): return backend"}.items():
            (self.home / folder).mkdir()
            (self.home / folder / "__init__.py").write_text(text)
        printed = self.run_script("""
            import adaptdl.torch
            print(adaptdl.torch.init_process_group("gloo"))
        """, HOOK)
        self.assertIn("adaptdl.torch is not as expected, and is not watched", printed)
        self.assertTrue(printed.endswith("gloo\n"), printed)

    def test_the_machines_own_sitecustomize_is_run(self):
        (self.home / "own").mkdir()
        (self.home / "own/sitecustomize.py").write_text("HERE = __file__")
        printed = self.run_script("""
            import os, sitecustomize, sys
            print(os.path.dirname(sitecustomize.HERE), "hook" in [os.path.basename(folder) for folder in sys.path])
        """, HOOK, self.home / "own")
        self.assertEqual(printed, f"{self.home / 'own'} False\n")

    def test_any_interpreter_finds_the_package_behind_its_own(self):
        printed = self.run_script("""
            import sys
            print(sys.path[-1], sorted(name for name in sys.modules if name.startswith("batchscope")))
        """, HOOK)
        self.assertEqual(printed, f"{PACKAGE} []\n")


if __name__ == "__main__":
    unittest.main()
