#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The emulated cluster does what tests need of Slurm: steps on several nodes, jobs that are cancelled, preempted, resized and
requeued, nodes and a controller that die, users without privileges, several clusters at once; and it leaves nothing behind."""
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

import cluster
from cluster import Cluster, patiently

HERE = pathlib.Path(__file__).resolve().parent
SKIPPED = 77  # exit code, as CTest is told
UNTIL_KILLED = "exec sleep 1000"
# The user whom root asks to do what needs no privileges; anybody else does it himself.
NOBODY = {"user": "nobody", "group": "nogroup", "extra_groups": [], "cwd": "/"} if os.getuid() == 0 else {}


class ClusterTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = pathlib.Path(cls.enterClassContext(tempfile.TemporaryDirectory()))
        folder.chmod(0o755)
        cls.folder = folder
        cls.cluster = cls.enterClassContext(Cluster(folder / "one", nodes=3, gpus=2))

    def tearDown(self):
        self.cluster.run("scancel", "--user", str(os.getuid()))
        patiently("an empty queue", lambda: not self.cluster.run("squeue", "--noheader").stdout)

    def running(self, *options, script=UNTIL_KILLED):
        job = self.cluster.submit(script, *options)
        self.cluster.wait_for_job(job, JobState="RUNNING")
        return job

    def test_a_step_reaches_two_nodes_with_their_gpus(self):
        said = self.cluster.run("srun", "--nodes=2", "--gpus-per-node=2", "sh", "-c",
                                "echo $SLURMD_NODENAME $CUDA_VISIBLE_DEVICES").stdout
        self.assertEqual(sorted(said.splitlines()), ["n1 0,1", "n2 0,1"])

    def test_others_than_slurms_user_submit(self):
        self.assertEqual(self.cluster.run("srun", "--nodes=2", "id", "-u", **NOBODY).stdout.split(),
                         2 * self.cluster.run("id", "-u", **NOBODY).stdout.split())

    def test_a_cancelled_job_hears_of_it(self):
        job = self.running(script="trap 'echo asked; exit 3' TERM\necho here\nwhile true; do sleep 0.05; done")
        patiently("the job's first word", lambda: "here" in self.cluster.output(job))
        self.cluster.run("scancel", str(job))
        self.assertEqual(self.cluster.wait_for_job(job, JobState="CANCELLED")["ExitCode"], "3:0")
        self.assertIn("asked", self.cluster.output(job))

    def test_a_successor_waits_and_has_the_nodes_that_it_is_given(self):
        options = ["--job-name=run", "--dependency=singleton", "--ntasks-per-node=1"]
        first = self.running("--nodes=2", *options)
        second = self.cluster.submit(UNTIL_KILLED, "--nodes=1-3", *options)
        self.cluster.wait_for_job(second, JobState="PENDING", Reason="Dependency")
        self.cluster.run("scontrol", "update", f"JobId={second}", "NumNodes=3-3")
        self.assertEqual(self.cluster.job(second)["JobState"], "PENDING")
        self.cluster.run("scancel", str(first))
        self.assertEqual(self.cluster.wait_for_job(second, JobState="RUNNING")["NodeList"], "n[1-3]")

    def test_the_urgent_partition_preempts(self):
        job = self.running("--nodes=3")
        urgent = self.running("--nodes=3", "--exclusive", "--partition=urgent")
        self.assertEqual(self.cluster.job(job)["Restarts"], "1")
        self.cluster.run("scancel", str(urgent), str(job))

    def test_the_job_of_a_dead_node_is_requeued(self):
        job = self.running("--nodes=2")
        self.assertEqual(self.cluster.job(job)["NodeList"], "n[1-2]")
        self.cluster.kill_node("n1")
        self.assertFalse(self.cluster.processes("n1"))
        patiently("n1 down", lambda: self.cluster.states()["n1"].startswith("down"))
        self.cluster.wait_for_job(job, JobState="PENDING", Restarts="1")
        self.cluster.start_node("n1")
        patiently("n1 idle", lambda: self.cluster.states()["n1"] == "idle")

    def test_the_queue_outlives_its_controller(self):
        running = self.running("--nodes=3", "--exclusive")
        waiting = self.cluster.submit(UNTIL_KILLED, "--nodes=3", "--exclusive")
        self.cluster.wait_for_job(waiting, JobState="PENDING")
        self.cluster.stop_controller()
        self.cluster.start_controller()
        self.assertEqual(self.cluster.job(running)["JobState"], "RUNNING")
        self.assertEqual(self.cluster.job(waiting)["JobState"], "PENDING")
        self.cluster.run("scancel", str(running))
        self.cluster.wait_for_job(waiting, JobState="RUNNING")

    def test_two_at_once_know_nothing_of_each_other(self):
        job = self.running()
        with Cluster(self.folder / "two", nodes=1) as other:
            self.assertEqual(other.states(), {"n1": "idle"})
            self.assertFalse(other.run("squeue", "--noheader").stdout)
        self.assertFalse(other.folder.exists())
        self.assertEqual(self.cluster.job(job)["JobState"], "RUNNING")

    def test_a_killed_test_leaves_nothing(self):
        folder = self.folder / "killed"
        program = f"""
import sys; sys.path.insert(0, {str(HERE)!r})
from cluster import Cluster
with Cluster({str(folder)!r}, nodes=1) as cluster:
    cluster.wait_for_job(cluster.submit("setsid sleep 1000 & wait"), JobState="RUNNING")
    print("running", flush=True)
    sys.stdin.read()
"""
        with subprocess.Popen([sys.executable, "-c", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as test:
            self.assertEqual(test.stdout.readline(), b"running\n")
            self.assertTrue(Cluster(folder).processes())
            test.kill()
        patiently("nothing left", lambda: not Cluster(folder).processes() and not folder.exists())

    def test_the_command_needs_no_privileges(self):
        def command(*arguments):
            # Debian's Python, which anybody may execute.
            return subprocess.run(["/usr/bin/python3", HERE / "cluster.py", *arguments], text=True, capture_output=True, **NOBODY)
        home = self.folder / "home"
        home.mkdir()
        home.chmod(0o777)
        folder = home / "cluster"
        if command("--help").returncode:
            self.skipTest(f"{HERE} is closed to others than its owner")
        started = command("start", folder, "--nodes", "2", "--set", "KillWait=5")
        self.assertEqual(started.returncode, 0, started.stderr)
        try:
            self.assertEqual(command("env", folder).stdout, f"export SLURM_CONF={folder}/slurm.conf\n")
            self.assertEqual(len(Cluster(folder).run("srun", "--nodes=2", "hostname", **NOBODY).stdout.split()), 2)
            self.assertIn("KillWait=5\n", (folder / "slurm.conf").read_text())
            self.assertNotEqual(command("start", folder).returncode, 0)  # it is there already
        finally:
            self.assertEqual(command("stop", folder).returncode, 0)
        self.assertFalse(Cluster(folder).processes())
        self.assertFalse(folder.exists())


if __name__ == "__main__":
    if reason := cluster.missing():
        print(f"skipped: {reason}")
        sys.exit(SKIPPED)
    unittest.main()
