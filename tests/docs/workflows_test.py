#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The workflows do their work by ./dev alone, in Debian 12 and the packages in 13 too, with the compiler's cache kept;
./dev ci-local finds their commands."""
import pathlib
import re
import subprocess
import sys
import unittest

import yaml

ROOT = pathlib.Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "tools"))
import ci_local  # noqa: E402


class Workflows(unittest.TestCase):
    def test_what_runs_when(self):
        push, nightly = (yaml.safe_load((ROOT / f".github/workflows/{name}.yml").read_text()) for name in ("push", "nightly"))
        self.assertIn("push", push[True])  # YAML takes the key `on` for a truth value
        self.assertEqual({"tags": ["v*"]}, nightly[True]["push"])
        self.assertIn("schedule", nightly[True])
        for job in (*push["jobs"].values(), *nightly["jobs"].values()):
            self.assertIn(job["container"]["image"], ("debian:12", "${{ matrix.image || 'debian:12' }}"))
            self.assertTrue(any(step.get("uses", "").startswith("actions/cache@") for step in job["steps"]))

    def test_packages_are_made_on_both_debians(self):
        self.assertEqual({"packages": "12", "packages-13": "13"}, {name: ci_local.debian_of(name) for name in ("packages", "packages-13")})
        self.assertEqual(ci_local.jobs()["packages"], ci_local.jobs()["packages-13"])

    def test_work_is_done_by_dev(self):
        jobs = ci_local.jobs()
        self.assertEqual({"fast", "full", "lint", "packages", "packages-13", "wheel", "release", "site"}, set(jobs))
        for name, steps in jobs.items():
            work = steps[steps.index(None) + 1:]
            calls = [step for step in work if step.startswith("./dev ")]
            self.assertEqual(1, len(calls), f"{name}: {work}")
            self.assertTrue(all(step.startswith("git config") for step in work if step not in calls), name)
        self.assertEqual("./dev test --fast", jobs["fast"][-1])

    def test_dev_knows_what_they_ask_of_it(self):
        known = re.search(r"^  (run \|.*)\) \"cmd_", (ROOT / "dev").read_text(), re.M)[1].split(" | ")
        for steps in ci_local.jobs().values():
            self.assertIn(steps[-1].split()[1], known)

    def test_a_list_of_packages_stands_above_what_uses_it(self):
        dev = (ROOT / "dev").read_text()
        for use in re.finditer(r"\$\{(packages_\w+)\[@\]\}", dev):  # Bash takes a list that comes later for an empty one
            self.assertIn(f"\n{use[1]}=(", dev[:use.start()], f"{use[1]} is used before it is set")

    def test_a_job_that_is_not_there_is_named(self):
        refused = subprocess.run([sys.executable, ROOT / "tools/ci_local.py", "slow"], capture_output=True, text=True)
        self.assertEqual(1, refused.returncode)
        self.assertIn("no job 'slow'", refused.stderr)


if __name__ == "__main__":
    unittest.main()
