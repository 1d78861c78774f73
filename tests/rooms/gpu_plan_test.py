#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Everything that tests/gpu/run would build and run is there, though no machine runs it that has no GPU: its targets,
tests, labels, scenarios and benches, by the names that the tree has for them."""
import json
import pathlib
import re
import subprocess
import sys
import unittest

ROOT = pathlib.Path(__file__).parents[2]
sys.path += [str(ROOT / "tests/bench"), str(ROOT / "tests/rooms")]

import bench_restart
from coverage_test import read, registered


class GpuPlan(unittest.TestCase):
    def setUp(self):
        self.plan = json.loads(subprocess.run([ROOT / "tests/gpu/run", "--plan"], capture_output=True, text=True, check=True).stdout)

    def test_targets_are_built(self):
        lists = read("*/CMakeLists.txt", "*/**/CMakeLists.txt")
        lists += " ".join(f"{room}_tests" for room in re.findall(r"batchscope_tests\((\w+)\s", lists))
        for target in self.plan["targets"]:
            self.assertRegex(lists, rf"(?<![\w-]){re.escape(target)}(?![\w-])")

    def test_tests_are_registered(self):
        tests = registered()
        for name in self.plan["tests"] + [f"scenario.{name}" for name in self.plan["scenarios"]]:
            self.assertIn(name, tests)
        self.assertLessEqual(set(self.plan["labels"]), {name.partition(".")[0] for name in tests})

    def test_benches_are_measured(self):
        sources, restarts = read("tests/bench/bench_*.cpp"), set(bench_restart.names())
        for name in self.plan["benches"]:
            model = name.partition(".gpu.")[2]
            self.assertTrue(name in restarts or f'"{name}' in sources or (model and f'"{model}"' in sources), name)


if __name__ == "__main__":
    unittest.main()
