# SPDX-License-Identifier: Apache-2.0
"""The callbacks for Lightning and Transformers and the tracker for Accelerate, against stand-ins that hold them to the documented
interfaces (frameworks/README.md)."""
import os
import pathlib
import subprocess
import sys
import unittest

import batchscope
from batchscope import _program
from programs import WithPrograms
from supervisor import PACKAGE, Supervised

HERE = pathlib.Path(__file__).resolve().parent / "frameworks"
STAND_INS = HERE / "stand_ins"


class Recorded(Supervised):
    """Eight steps, of two micro-batches of 8 samples each; two epochs."""

    def train(self, framework, *path):
        return self.run_script((HERE / f"{framework}_script.py").read_text(), STAND_INS, *path, OPENBLAS_NUM_THREADS="1")

    def test_lightning(self):
        self.train("lightning")
        steps = list(range(1, 9))
        for name in ("loss", "step_time", "throughput"):
            self.assertEqual(list(self.series(name)), steps, name)
        self.assertEqual(self.series("batch_size"), dict.fromkeys(steps, 16))
        self.assertEqual(self.series("lr"), dict.fromkeys(steps, 0.05))
        self.assertEqual(self.series("replicas"), dict.fromkeys(steps, 1))
        self.assertEqual(list(self.series("validation_loss")), [4, 8])
        self.assertGreater(self.series("loss")[1], self.series("loss")[8])
        self.assertEqual([(one["epoch"], one["begin"]) for one in self.told("epoch")], [(0, True), (0, False), (1, True), (1, False)])
        self.assertEqual(self.told("hyperparameters")[0]["values"], {"lr": "0.05"})

    def test_lightning_on_several_replicas_is_measured(self):
        group = self.home / "group"
        begin = ("import os\nfrom torch import distributed\n"
                 f"distributed.init_process_group('gloo', 'file://{group}', rank=int(os.environ['ADAPTDL_REPLICA_RANK']), world_size=2)\n")
        script = (HERE / "lightning_script.py").read_text().replace("x = torch.randn", f"{begin}x = torch.randn")
        other = self.start(script, STAND_INS, PACKAGE_BUILT, rank=1, OPENBLAS_NUM_THREADS="1")
        self.run_script(script, STAND_INS, PACKAGE_BUILT, OPENBLAS_NUM_THREADS="1")
        self.assertEqual(other.communicate()[0], "")
        self.assertEqual(self.series("batch_size"), dict.fromkeys(range(1, 9), 32))
        self.assertEqual(list(self.series("step_time")), list(range(1, 9)))

    def test_transformers(self):
        self.train("transformers")
        self.assertEqual(self.series("batch_size"), dict.fromkeys(range(1, 9), 16))
        self.assertEqual(list(self.series("step_time")), list(range(1, 9)))
        self.assertEqual(self.series("lr"), dict.fromkeys((2, 4, 6, 8), 0.05))
        self.assertEqual(list(self.series("loss")), [2, 4, 6, 8])
        self.assertEqual(list(self.series("validation_loss")), [4, 8])
        self.assertEqual([(one["epoch"], one["begin"]) for one in self.told("epoch")], [(0, True), (0, False), (1, True), (1, False)])
        self.assertEqual(self.told("hyperparameters")[0]["values"]["learning_rate"], "0.05")
        self.assertEqual(self.series("epoch")[8], 1.75)

    def test_accelerate(self):
        self.train("accelerate")
        self.assertEqual(self.series("loss"), {1: 1, 2: 1 / 2, 3: 1 / 3, 4: 1 / 4})
        self.assertEqual(self.series("accuracy"), {1: 0.1, 2: 0.2, 3: 0.3, 4: 0.4})
        self.assertEqual(self.told("hyperparameters")[0]["values"], {"lr": "0.1", "model.layers": "2"})
        self.assertIn("text is not recorded: str is not a number", [notice["text"] for notice in self.told("notice")])


PACKAGE_BUILT = pathlib.Path(batchscope.__file__).parents[1]


class Alone(WithPrograms):
    def run_alone(self, script, *arguments):
        path = f"{STAND_INS}:{PACKAGE_BUILT}"
        done = subprocess.run([sys.executable, str(HERE / script), *arguments], cwd=self.home, text=True, capture_output=True, check=False,
                              env={**os.environ, "PYTHONPATH": path, "PYTHONDONTWRITEBYTECODE": "1"})
        run, = batchscope.runs()
        subprocess.run([_program.find(), "attach", run.id], capture_output=True, check=False)
        return done, run.refresh()

    def test_a_script_has_a_run_of_its_own(self):
        done, run = self.run_alone("lightning_script.py")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual((run.name, run.state, run.step, list(run.tags)), ("lightning", "finished", 8, ["paper"]))

    def test_an_exception_is_how_it_failed(self):
        done, run = self.run_alone("lightning_script.py", "fail")
        self.assertEqual((done.returncode, run.state), (1, "failed"))
        self.assertIn("ValueError: no more data", run.message)


class Missing(unittest.TestCase):
    def test_a_framework_that_is_not_there_is_named(self):
        for module, package in (("lightning", "lightning"), ("transformers", "transformers"), ("accelerate", "accelerate")):
            done = subprocess.run([sys.executable, "-c", f"import sys; sys.modules['{package}'] = None; import batchscope.{module}"],
                                  text=True, capture_output=True, check=False, env={**os.environ, "PYTHONPATH": str(PACKAGE)})
            self.assertIn(f"batchscope.{module} needs {module.capitalize()}: install {package} ", done.stderr)


if __name__ == "__main__":
    unittest.main()
