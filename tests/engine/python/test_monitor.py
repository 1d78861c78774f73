# SPDX-License-Identifier: Apache-2.0
"""batchscope.torch.monitor on DistributedDataParallel over Gloo: its numbers are those of the closed form, the script's own are left
alone, and what is recorded stands at the script's steps."""
import itertools
import json
import math
import os
import subprocess
import sys
import tempfile
import unittest
import warnings

import batchscope
import batchscope.torch as adl
import torch
from batchscope import _program
from programs import WithPrograms
from replicas import train
from supervisor import Supervised
from torch import distributed
from torch.nn.parallel import DistributedDataParallel

SCRIPT = """
import batchscope
import batchscope.torch as adl
import torch
from torch import distributed

def train(rank, replicas, file):
    distributed.init_process_group("gloo", f"file://{{file}}", rank=rank, world_size=replicas)
    model = torch.nn.parallel.DistributedDataParallel({model})
    optimizer = torch.optim.SGD(model.parameters(), lr=0.25)
    {before}
    adl.monitor(model, optimizer)
    for step in range(1, 6):
        optimizer.zero_grad()
        loss = model(torch.randn(8, 4)).square().mean()
        {within}
        loss.backward()
        optimizer.step()
        {behind}
    {after}

if __name__ == "__main__":
    torch.multiprocessing.start_processes(train, ({replicas}, "{file}"), nprocs={replicas}, start_method="{start}")
"""


def measured(*cases, replicas=2):
    """Returns for each case what each replica says of each step."""
    return zip(*(json.loads(said) for said in train("torch_monitor.py", json.dumps(cases), replicas=replicas)), strict=True)


def estimates(replicas, scales):
    """The averages of |grad|^2 and of the covariance's trace after each step, from each replica's gradients in closed form."""
    theta, sqr, var, weight = 0.999, 0, 0, 0
    for step, scale in enumerate(scales):
        gradients = [torch.tensor(said[step]["gradient"], dtype=torch.float64) for said in replicas]
        if gradients[0].isfinite().all():
            count, local = len(gradients), sum(float(gradient @ gradient) for gradient in gradients) / len(gradients)
            mean = sum(gradients) / count
            total, kept = float(mean @ mean), theta ** scale
            sqr = kept * sqr + (1 - kept) * (count * total - local) / (count - 1)
            var = kept * var + (1 - kept) * (local - total) * scale / (count - 1)
            weight = kept * weight + 1 - kept
        yield max(sqr / weight, 0), max(var / weight, 1e-6)


class Numbers(unittest.TestCase):
    def check(self, replicas, sizes, accuracy=1e-5):
        initial = sizes[0]
        scales = [len(replicas) * size / initial for _, size in zip(replicas[0], itertools.cycle(sizes))]
        for step, (sqr, var) in enumerate(estimates(replicas, scales)):
            for said in replicas:
                one, scale = said[step], scales[step]
                gain = (var + sqr) / (var / scale + sqr)
                expected = {"grad_sqr": sqr, "grad_var": var, "batch_size": scale * initial, "scale": scale, "gain": gain,
                            "noise_scale": var / sqr * initial, "efficiency": min(1, gain / scale),
                            "goodput": one["throughput"] * min(1, gain / scale)}
                for name, value in expected.items():
                    self.assertAlmostEqual(one[name] / value, 1, delta=accuracy, msg=f"{name}, step {step}")

    def test_are_those_of_the_closed_form(self):
        cases = ({}, {"sizes": [8, 4]}, {"view": 1}, {"view": 1, "clip": 1}, {"unused": 1}, {"dtype": "float64"}, {"keyword": 1},
                 {"rate": 0.05, "steps": 8})
        for case, replicas in zip(cases, measured(*cases)):
            with self.subTest(case):
                self.check(replicas, case.get("sizes", [8]))

    def test_of_three_replicas_too(self):
        for replicas in measured({}, replicas=3):
            self.check(replicas, [8])

    def test_of_half_precision_and_of_micro_batches_under_no_sync(self):
        half, accumulated = measured({"dtype": "float16"}, {"accumulate": 3})
        self.check(half, [8], accuracy=0.02)
        self.check(accumulated, [24])

    def test_the_noise_scale_is_the_regressions(self):
        """At weights of 0, y = s x + e with |s|^2 = d: B = (d^2 + 2 d + d sigma^2 - d) / d."""
        (said, _), = measured({"steps": 1500, "noise": 2})
        self.assertAlmostEqual(said[-1]["noise_scale"] / (4 + 1 + 4), 1, delta=0.1)

    def test_a_batch_size_and_the_initial_one_may_be_given(self):
        one, other, given = (said for said, _ in measured(*({"monitor": options} for options in (
            {"initial_batch_size": 8}, {"initial_batch_size": 4}, {"batch_size": 5}))))
        self.assertEqual((one[0]["scale"], other[0]["scale"], given[0]["batch_size"]), (2, 4, 10))
        self.assertAlmostEqual(one[0]["noise_scale"] / other[0]["noise_scale"], 1, delta=1e-4)
        self.assertGreater(other[0]["gain"], one[0]["gain"])

    def test_steps_that_are_not_measured(self):
        """A GradScaler skips steps with a gradient that is not finite; others exchange gradients several times."""
        (skipped, _), (several, _) = measured({"skipped": 1}, {"accumulate": 2, "every": 1})
        self.assertEqual(skipped[1]["grad_sqr"], skipped[0]["grad_sqr"])
        self.assertEqual(skipped[2]["batch_size"], 16)
        self.assertNotEqual(skipped[2]["grad_sqr"], skipped[0]["grad_sqr"])
        self.assertEqual(several[-1]["batch_size"], 32)
        self.assertTrue(math.isnan(several[-1]["gain"]))

    def test_the_training_is_the_same_without_it(self):
        """Gradients follow from the weights of the step before."""
        case = {"rate": 0.05, "steps": 4}
        with_, without = ([[step["gradient"] for step in said] for said in replicas] for replicas in measured(case, {**case, "unmonitored": 1}))
        self.assertEqual(with_, without)


class Mistakes(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        distributed.init_process_group("gloo", f"file://{cls.folder.name}/group", rank=0, world_size=1)

    @classmethod
    def tearDownClass(cls):
        distributed.destroy_process_group()
        cls.folder.cleanup()

    def test_are_told_with_the_remedy(self):
        def parallel(module=None):
            return DistributedDataParallel(module or torch.nn.Linear(2, 1))

        def of(model):
            return torch.optim.SGD(model.parameters(), lr=0.1)

        plain, model, other, once = torch.nn.Linear(2, 1), parallel(), parallel(), parallel()
        optimizer, theirs = of(once), of(other)
        adl.monitor(once, optimizer)
        sparse = parallel(torch.nn.Sequential(torch.nn.Embedding(3, 2, sparse=True)))
        for error, text, call in (
                (TypeError, r"not a DistributedDataParallel, but Linear: wrap it by torch\.nn\.parallel", lambda: adl.monitor(plain, of(plain))),
                (TypeError, r"optimizer is not a torch\.optim\.Optimizer, but float", lambda: adl.monitor(model, 0.1)),
                (ValueError, "this model is monitored already: call monitor\\(\\) once", lambda: adl.monitor(once, of(once))),
                (ValueError, "this optimizer is monitored already", lambda: adl.monitor(model, optimizer)),
                (ValueError, "no parameter of the model: make it of model.parameters\\(\\)", lambda: adl.monitor(model, theirs)),
                (ValueError, "^monitor\\(\\): 0 has sparse gradients.*sparse=False", lambda: adl.monitor(sparse, of(sparse))),
                (ValueError, "batch_size is 0; it has to be positive", lambda: adl.monitor(model, of(model), batch_size=0)),
                (ValueError, "smoothing is 2", lambda: adl.monitor(model, of(model), smoothing=2))):
            with self.subTest(text), self.assertRaisesRegex(error, text):
                call()

    def test_schedules_before_and_behind_count_its_steps(self):
        batchscope.init(mode="disabled")
        model = DistributedDataParallel(torch.nn.Linear(2, 1))
        optimizer = torch.optim.SGD(model.parameters(), lr=1.0)
        before = torch.optim.lr_scheduler.StepLR(optimizer, 1, gamma=0.5)
        adl.monitor(model, optimizer)
        behind = torch.optim.lr_scheduler.StepLR(optimizer, 1, gamma=0.5)
        with warnings.catch_warnings():
            warnings.simplefilter("error")  # a schedule warns of an optimizer whose step it cannot see
            model(torch.ones(3, 2)).sum().backward()
            optimizer.step()
            before.step()
            behind.step()
        self.assertEqual(optimizer.param_groups[0]["lr"], 0.25)


class WithoutGroup(unittest.TestCase):
    def test_is_told_with_the_remedy(self):
        plain = torch.nn.Linear(2, 1)
        with self.assertRaisesRegex(TypeError, r"but Linear: call torch\.distributed\.init_process_group\(\), then wrap it"):
            adl.monitor(plain, torch.optim.SGD(plain.parameters(), lr=0.1))


class Recorded(Supervised):
    def record(self, replicas=2, before="pass", within="pass", behind="pass", after="pass", model="torch.nn.Linear(4, 1)"):
        """A fork need not load PyTorch once more for each process."""
        return self.run_script(SCRIPT.format(before=before, within=within, behind=behind, after=after, replicas=replicas, start="fork",
                                             model=model, file=self.home / "group"), os.environ["PYTHONPATH"], OPENBLAS_NUM_THREADS="1")

    def test_every_step_of_an_unchanged_loop(self):
        self.record()
        for name, value in (("batch_size", 16), ("scale", 2), ("replicas", 2), ("lr", 0.25)):
            self.assertEqual(self.series(name), dict.fromkeys(range(1, 6), value), name)
        for name in ("gain", "noise_scale", "grad_sqr", "grad_var", "throughput", "step_time", "efficiency", "goodput"):
            self.assertEqual(list(self.series(name)), [1, 2, 3, 4, 5], name)
        for step, goodput in self.series("goodput").items():
            self.assertAlmostEqual(goodput, self.series("throughput")[step] * self.series("efficiency")[step])
        low, gain, high = (self.series(name) for name in ("gain_low", "gain", "gain_high"))
        self.assertEqual((list(low), list(high)), ([3, 4, 5], [3, 4, 5]))  # fewer estimates do not tell how they scatter
        for step in low:
            self.assertTrue(1 <= low[step] <= gain[step] <= high[step] <= 2, (low[step], gain[step], high[step]))

    def test_a_step_lasts_from_the_end_of_the_one_before(self):
        self.record(behind="__import__('time').sleep(0.02 if step < 3 else 0); step != 4 or (model.eval()(torch.randn(8, 4)), model.train())")
        seconds, data = self.series("step_time"), self.series("data_time")
        for step in (2, 3):
            self.assertGreaterEqual(data[step], 0.02)
            self.assertGreaterEqual(seconds[step], data[step])
        self.assertEqual([data[1], data[5]], [0, 0])  # the first, and the one after an evaluation

    def test_what_the_script_records_belongs_to_the_same_step(self):
        for where in ("within", "behind"):
            with self.subTest(where):
                self.lines.clear()
                self.record(**{where: "rank or batchscope.record(mine=step)"})
                (self.home / "group").unlink(missing_ok=True)
                self.assertEqual(self.series("mine"), {step: step for step in range(1, 6)})
                self.assertEqual(list(self.series("gain")), [1, 2, 3, 4, 5])

    def test_the_scripts_own_step_counts(self):
        self.record(before="rank or batchscope.restored(100)", behind="rank or batchscope.step(batch_size=8, mine=step)")
        self.assertEqual(self.series("mine"), {100 + step: step for step in range(1, 6)})
        self.assertEqual(self.series("batch_size"), dict.fromkeys(range(101, 106), 16))

    def test_one_replica_says_what_it_cannot_see(self):
        self.record(replicas=1, model="torch.nn.Conv1d(8, 1, 1, padding='same')")
        self.assertEqual(self.series("batch_size"), dict.fromkeys(range(1, 6), 8))
        self.assertEqual(self.series("gain"), {})
        notice, = self.told("notice")
        self.assertRegex(notice["text"], "one process has one gradient a step, and no layer of this model tells.*Start two or more")

    def test_one_replica_sees_the_noise_by_its_examples(self):
        self.record(replicas=1)
        self.assertEqual(list(self.series("gain")), [1, 2, 3, 4, 5])
        self.assertEqual(self.told("notice"), [])


class Alone(WithPrograms):
    def test_has_a_run_of_its_own(self):
        """A logger's run that begins later is the same one."""
        file = self.home / "train.py"
        file.write_text(SCRIPT.format(before="pass", within="pass", behind="rank or step != 2 or batchscope.init()", after="pass", replicas=2,
                                      model="torch.nn.Linear(4, 1)", start="spawn", file=self.home / "group"))
        done = subprocess.run([sys.executable, str(file)], cwd=self.home, text=True, capture_output=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        run, = batchscope.runs()
        subprocess.run([_program.find(), "attach", run.id], capture_output=True, check=False)
        run = run.refresh()
        self.assertEqual((run.state, run.name), ("finished", "train.py"))
        self.assertEqual(run.series("gain").steps.tolist(), [1, 2, 3, 4, 5])
        self.assertEqual(run.series("batch_size").values.tolist(), [16] * 5)


if __name__ == "__main__":
    unittest.main()
