# SPDX-License-Identifier: Apache-2.0
"""AdaptDL's own tests, where they lie beside the project, against batchscope.torch: what passes is what the table in
engine/python/PORTING.md says. Skipped where they, or pytest, are not there."""
import importlib.util
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[2]
PEER = ROOT.parent / "shared/peer"
ADAPTDL = PEER / "adaptdl/adaptdl"
ROW = re.compile(r"^\| `(\w+_test\.py)` (.*) \| passes \|$", re.M)
RESULT = re.compile(r"^(PASSED|FAILED|ERROR) (\w+_test\.py)::(\w+)", re.M)
PATIENCE = 500  # s


def passing_tests():
    """The (file, test) that pass, all of their parameters alike."""
    with tempfile.TemporaryDirectory() as folder:
        # Beside AdaptDL's package they would import it.
        for file in ADAPTDL.rglob("*_test.py"):
            shutil.copy(file, folder)
        paths = [HERE, *os.environ.get("PYTHONPATH", "").split(os.pathsep), PEER / "shims", PEER / "autograd"]
        environment = dict(os.environ, ADAPTDL_TESTS=str(ADAPTDL), PYTHONPATH=os.pathsep.join(map(str, paths)),
                           OPENBLAS_NUM_THREADS="1")
        pytest = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-p", "as_adaptdl", "--import-mode=importlib",
                  "--noconftest", "--continue-on-collection-errors", "--tb=no", "-q", "-rA", "."]
        said = subprocess.run(pytest, cwd=folder, env=environment, stdout=subprocess.PIPE, text=True, timeout=PATIENCE).stdout
    results = {}
    for outcome, file, test in RESULT.findall(said):
        results.setdefault((file, test), set()).add(outcome)
    if not results:
        raise AssertionError(f"pytest ran no test:\n{said}")
    return {test for test, outcomes in results.items() if outcomes == {"PASSED"}}


@unittest.skipUnless(ADAPTDL.is_dir(), f"AdaptDL's tests are not at {ADAPTDL}")
@unittest.skipUnless(importlib.util.find_spec("pytest") and importlib.util.find_spec("portpicker"),
                     f"{sys.executable} has no pytest or no portpicker")
class AdaptDLsTests(unittest.TestCase):
    def test_what_passes_is_what_the_table_says(self):
        text = (ROOT / "engine/python/PORTING.md").read_text(encoding="utf-8")
        told = {(file, test) for file, tests in ROW.findall(text) for test in re.findall(r"`(test_\w+)`", tests)}
        self.assertEqual(passing_tests(), told)


if __name__ == "__main__":
    unittest.main()
