#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The end of a suite on skipped tests, and the tests that a change affects."""
import contextlib
import io
import pathlib
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import changed  # noqa: E402
import summary  # noqa: E402

SUITE = """<testsuite>
<testcase name="run.forks" status="run"><system-out>fine</system-out></testcase>
<testcase name="scenario.adaptdl" status="notrun"><skipped message="SKIP_RETURN_CODE=77"/><system-out>no module adaptdl
</system-out></testcase>
<testcase name="train.cuda" status="run"><system-out>PASS   : TestCuda::initTestCase()
SKIP   : TestCuda::trains(one GPU) no GPU
</system-out></testcase>
<testcase name="storage.sql" status="fail"><failure message=""/><system-out/></testcase>
</testsuite>"""


class Summary(unittest.TestCase):
    def run_with(self, *arguments, again=""):
        with tempfile.TemporaryDirectory() as folder:
            suite = pathlib.Path(folder, "suite.xml")
            suite.write_text(SUITE)
            if again:
                pathlib.Path(folder, "again.xml").write_text(again)
                arguments += ("--again", f"{folder}/again.xml")
            printed = io.StringIO()
            sys.argv = ["summary.py", str(suite), *arguments]
            with contextlib.redirect_stdout(printed):
                status = summary.main()
        return status, printed.getvalue()

    def test_counts_and_names_what_was_skipped(self):
        status, printed = self.run_with()
        self.assertEqual(status, 0)
        self.assertIn("skipped: scenario.adaptdl: no module adaptdl\n", printed)
        self.assertIn("skipped: train.cuda: no GPU (TestCuda::trains)\n", printed)
        self.assertTrue(printed.endswith("2 passed, 1 failed, 1 skipped\n"), printed)

    def test_a_skip_that_is_not_listed_fails_a_strict_suite(self):
        status, printed = self.run_with("--strict")
        self.assertEqual(status, 1)
        self.assertIn("NOT ALLOWED: scenario.adaptdl: no module adaptdl\n", printed)
        self.assertIn("skipped: train.cuda: no GPU", printed)  # may_skip.txt lists it

    def test_what_passes_once_more_is_named(self):
        again = '<testsuite><testcase name="storage.sql" status="run"><system-out/></testcase></testsuite>'
        status, printed = self.run_with(again=again)
        self.assertEqual(status, 0)
        self.assertIn("FLAKY: storage.sql: ", printed)
        self.assertTrue(printed.endswith("3 passed, 0 failed, 1 skipped\n"), printed)

    def test_what_fails_once_more_has_failed(self):
        again = '<testsuite><testcase name="storage.sql" status="fail"><failure message=""/></testcase></testsuite>'
        self.assertTrue(self.run_with(again=again)[1].endswith("2 passed, 1 failed, 1 skipped\n"))

    def test_a_room_without_tests_fails(self):
        self.assertEqual(self.run_with("--rooms", "run", "storage")[0], 0)
        status, printed = self.run_with("--rooms", "run", "python")
        self.assertEqual(status, 1)
        self.assertIn("NO TESTS: python", printed)


class Changed(unittest.TestCase):
    def test_a_room_affects_those_that_may_call_it(self):
        labels = changed.labels(["engine/pool/src/pool.cpp"])
        self.assertRegex("pool", labels)
        self.assertRegex("cli", labels)
        self.assertRegex("scenario", labels)
        self.assertNotRegex("storage", labels)
        self.assertNotRegex("train", labels)

    def test_a_test_affects_as_much_as_its_room(self):
        self.assertEqual(changed.labels(["tests/engine/run/test_forks.cpp"]), changed.labels(["engine/run/src/forks.cpp"]))

    def test_documents_affect_no_program(self):
        self.assertEqual(changed.labels(["README.md", "engine/run/PROTOCOL.md"]), "^(rooms)$")

    def test_what_builds_the_house_affects_everything(self):
        self.assertRegex("storage", changed.labels(["cmake/Room.cmake"]))


if __name__ == "__main__":
    unittest.main()
