# SPDX-License-Identifier: Apache-2.0
"""batchscope.goodput and batchscope.speedup: AdaptDL's numbers, of numbers and of arrays, and what is refused."""
import json
import unittest

import numpy
from batchscope.goodput import GoodputFunction, GradParams, PerfParams, fit_objective, fit_perf_params
from batchscope.speedup import SpeedupFunction
from replicas import GOLDEN

MODEL = GoodputFunction(PerfParams(0.121, 0.00568, 0.0236, 0.00634, 0.0118, 0.00317, 1.14), GradParams(0.00136, 0.000502), 128)


def golden(name):
    with open(GOLDEN / name) as file:
        return json.load(file)


class Goodput(unittest.TestCase):
    def near(self, value, recorded):
        self.assertAlmostEqual(value, recorded, delta=1e-9 * max(1, abs(recorded)))

    def test_evaluations(self):
        for case in golden("goodput.json")["cases"]:
            function = GoodputFunction(PerfParams(**case["perf_params"]), GradParams(**case["grad_params"]),
                                       case["init_batch_size"])
            at = [[one[name] for one in case["evaluate"]] for name in ("num_nodes", "num_replicas", "atomic_bsz", "accum_steps")]
            at.append([one["batch_size"] for one in case["evaluate"]])
            *arguments, sizes = map(numpy.array, at)
            together = function(*arguments), function.throughput(*arguments), function.efficiency(sizes)
            for one, *values in zip(case["evaluate"], *together):
                for value, name in zip(values, ("goodput", "throughput", "efficiency")):
                    self.near(value, one[name])
            self.assertEqual(function(*(column[0] for column in at[:4])), together[0][0])

    def test_optima(self):
        """No worse than AdaptDL's, which tries 50 batch sizes and may exceed max_batch_size."""
        for call in golden("goodput.json")["vectorised"]["calls"]:
            if "goodput" not in call:
                continue
            limits = {name: call[name] for name in ("max_batch_size", "atomic_bsz_range", "accumulation")}
            nodes, replicas = numpy.array(call["num_nodes"]), numpy.array(call["num_replicas"])
            goodput, local, steps = MODEL.optimize(nodes, replicas, **limits)
            self.assertTrue(numpy.all(goodput >= numpy.array(call["goodput"]) * 0.999))
            self.assertTrue(numpy.all(local * replicas * (steps + 1) <= call["max_batch_size"]))
            self.assertEqual((goodput[3], local[3], steps[3]), MODEL.optimize(int(nodes[3]), int(replicas[3]), **limits))

    def test_fits(self):
        """No worse than SciPy's; the objective is AdaptDL's."""
        for profile in golden("fit.json")["profiles"]:
            rows = [profile[name] for name in ("num_nodes", "num_replicas", "atomic_bsz", "accum_step_time", "optim_step_time")]
            self.near(fit_objective(profile["true_params"], *rows), profile["objective_at_true"])
            fitted = fit_perf_params(*map(numpy.array, rows))
            self.assertIsInstance(fitted, PerfParams)
            self.assertLess(fit_objective(fitted, *rows), max(profile["objective_at_fitted"], profile["objective_at_raw"]) + 1e-3)

    def test_speedup(self):
        limits = {"max_batch_size": 1280, "atomic_bsz_range": (16, 256), "accumulation": True}
        speedup = SpeedupFunction(MODEL, **limits)
        nodes, replicas = numpy.array([0, 1, 1, 2, 4]), numpy.array([0, 1, 2, 4, 16])
        expected = [0] + [MODEL.optimize(int(n), int(r), **limits)[0] / MODEL.optimize(1, 1, **limits)[0]
                          for n, r in zip(nodes[1:], replicas[1:])]
        self.assertEqual(list(speedup(nodes, replicas)), expected)
        self.assertEqual(speedup(1, 2), expected[2])

    def test_refused(self):
        with self.assertRaisesRegex(ValueError, "max_batch_size 64 is below the initial batch size 128"):
            MODEL.optimize(1, 1, max_batch_size=64)
        with self.assertRaisesRegex(ValueError, "their lengths are 2, 1, 1, 1, 1"):
            fit_perf_params([1, 1], [1], [32], [0.1], [0.1])
        with self.assertRaises(ValueError):
            fit_perf_params([1], [1], [32], [0.0], [0.1])


if __name__ == "__main__":
    unittest.main()
