#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs on an emulated cluster that somebody follows, and one whose time is over: `follow_test.py PROGRAMS [TEST...]`. Who is
killed while a run trains, rescales and changes its job has at the end what the cluster has, once."""
import contextlib
import signal
import subprocess
import sys
import unittest

import run_test
from run_test import PROGRAMS, Run

TIME_LIMIT = 3  # min, as long as job scripts ask to be told before


class FollowTest(run_test.ClusterTest):
    def follow(self, run):
        follower = subprocess.Popen([PROGRAMS / "batchscope", "follow", run.folder], text=True, stdout=subprocess.PIPE,
                                    env=run.environment | {"BATCHSCOPE_SLURM_INTERVAL": "1"})
        self.addCleanup(follower.stdout.close)
        self.addCleanup(follower.wait)
        self.addCleanup(follower.kill)
        return follower

    def seen(self, run):
        with contextlib.suppress(AssertionError):  # it is not there yet
            return json_of(run, "show", run.folder.name)["run"]

    def await_step(self, run, step):
        run.patiently(f"step {step} at the desk", lambda: (self.seen(run) or {"step": 0})["step"] > step)

    def test_a_killed_follower_has_all_in_the_end(self):
        run, _ = self.begin_on(2, 3, *self.endless)
        desk = self.folder / "desk"
        run.use(desk)
        follower = self.follow(run)
        self.await_step(run, 0)
        for replicas in ("1", "3"):  # in the same job, and in the next one
            run.batchscope("rescale", run.folder.name, replicas)
            step = self.seen(run)["step"]
            for _ in range(3):
                follower.send_signal(signal.SIGKILL)
                follower.wait()
                follower = self.follow(run)
                with contextlib.suppress(subprocess.TimeoutExpired):
                    follower.wait(1)
            self.await_step(run, step + 20)
        self.end()
        run.patiently("the end of the follower", lambda: follower.poll() is not None)
        self.assertIn("is finished", follower.stdout.read())
        there = self.finishes(run)
        self.assertEqual(run.ends(), ["other nodes", "finished"], run.told())
        samples = csv_of(run)
        run.use(desk)
        here = json_of(run, "show", run.folder.name)
        for part in ("generations", "epochs", "checkpoints", "hyperparameters", "ledger"):
            self.assertEqual(here[part], there[part], part)
        self.assertEqual(*([event | {"id": 0} for event in seen["events"]] for seen in (here, there)))
        self.assertEqual(here["run"]["latest"], there["run"]["latest"])
        self.assertEqual(csv_of(run), samples)
        self.assertTrue({lease["device"].partition("/")[0] for lease in here["leases"]} <= {"n1", "n2", "n3"}, here["leases"])

    def test_goes_on_when_its_time_has_run_out(self):
        run = Run(self, *self.endless, options=["--time", "1:00:00"])
        job = run.await_training()
        self.cluster.run("scontrol", "update", f"JobId={job}", f"TimeLimit={TIME_LIMIT}")
        run.await_told("the time limit is near", job)
        run.await_training(1)
        self.finishes(run)
        self.assertEqual(run.ends(), ["time limit", "finished"], run.told())


def json_of(run, *words):
    return run_test.json.loads(run.batchscope(*words, "--json"))


def csv_of(run):
    return run.batchscope("export", run.folder.name, "--format", "csv", "-o", "-")


if __name__ == "__main__":
    if reason := run_test.cluster.missing():
        print(f"skipped: {reason}")
        sys.exit(run_test.SKIPPED)
    unittest.main()
