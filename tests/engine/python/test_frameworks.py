# SPDX-License-Identifier: Apache-2.0
"""The callbacks for Lightning and Transformers and the tracker for Accelerate, against stand-ins that hold them to the documented
interfaces (frameworks/README.md). With BATCHSCOPE_FRAMEWORKS=FOLDER against the real ones that are installed there."""
import os
import pathlib
import re
import socket
import subprocess
import sys
import tempfile
import time
import unittest

import batchscope
from batchscope import _program
from programs import WithPrograms
from supervisor import PACKAGE, Supervised

HERE = pathlib.Path(__file__).resolve().parent / "frameworks"
STAND_INS = pathlib.Path(os.environ.get("BATCHSCOPE_FRAMEWORKS", HERE / "stand_ins"))


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

    def start_elastic(self, rank, replicas, port):
        """BatchScopeStrategy, with torchrun's variables as `batchscope run` sets them."""
        return self.start((HERE / "lightning_elastic_script.py").read_text(), STAND_INS, PACKAGE_BUILT, rank=rank, OPENBLAS_NUM_THREADS="1",
                          ADAPTDL_SHARE_PATH=str(self.home), ADAPTDL_NUM_REPLICAS=str(replicas), MASTER_ADDR="127.0.0.1", MASTER_PORT=str(port),
                          RANK=str(rank), LOCAL_RANK=str(rank), WORLD_SIZE=str(replicas), LOCAL_WORLD_SIZE=str(replicas),
                          GROUP_RANK="0", TORCHELASTIC_RUN_ID="test")

    def wait_for_step(self, step):
        while step not in self.series("loss"):
            self.assertLess(time.monotonic(), self.deadline)
            time.sleep(0.02)

    def test_lightning_s_replicas_leave_together_and_another_number_goes_on(self):
        self.deadline = time.monotonic() + 300
        with socket.create_server(("127.0.0.1", 0)) as free, socket.create_server(("127.0.0.1", 0)) as free_too:
            ports = free.getsockname()[1], free_too.getsockname()[1]
        both = [self.start_elastic(rank, 2, ports[0]) for rank in range(2)]
        self.wait_for_step(5)
        both[1].terminate()  # one alone notices; the other one hears of it
        left = {re.search(r"left after step (\d+)", process.communicate()[0]).group(1) for process in both}
        self.assertEqual([process.returncode for process in both], [143, 143])
        self.assertEqual((self.series("batch_size")[1], self.series("replicas")[1]), (16, 2))
        self.assertIn("gain", self.told("steps")[-1]["columns"])  # of DistributedDataParallel, which is monitored
        last, = map(int, left)
        alone = self.start_elastic(0, 1, ports[1])
        self.wait_for_step(last + 5)
        alone.terminate()
        alone.communicate()
        self.assertEqual(alone.returncode, 143)
        self._catch_up()
        for reader in self.readers:
            reader.join()
        steps = [step for message in self.told("steps") for step, _ in enumerate(message["columns"]["step_time"], message["first_step"])]
        self.assertEqual(steps, list(range(1, len(steps) + 1)))

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


class OlderName(unittest.TestCase):
    def test_pytorch_lightning_alone_will_do(self):
        with tempfile.TemporaryDirectory() as folder:
            (pathlib.Path(folder) / "pytorch_lightning").symlink_to(HERE / "stand_ins/lightning/pytorch")
            done = subprocess.run([sys.executable, "-c", "import sys; sys.modules['lightning'] = None; from batchscope.lightning import "
                                   "BatchScopeCallback as callback, BatchScopeStrategy as strategy; "
                                   "print(callback.__mro__[1].__module__, strategy.__mro__[1].__module__)"], text=True, capture_output=True,
                                  check=False, env={**os.environ, "PYTHONPATH": f"{folder}:{HERE / 'stand_ins'}:{PACKAGE}"})
        self.assertEqual(done.stdout.split(), ["pytorch_lightning.callbacks", "pytorch_lightning.strategies"], done.stderr)


if __name__ == "__main__":
    unittest.main()
