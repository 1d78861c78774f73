#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Sweeps whose trials are jobs on an emulated cluster, with real training: `sweep_test.py PROGRAMS [TEST...]`, PROGRAMS the
folder of ours. The same file comes to the same with Slurm and without, whoever is killed, with no more jobs at once than
were allowed, and each sample of a pass used once."""
import contextlib
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "scenarios")]
import cluster
from cluster import Cluster
from run_scenario import compare_ledger, used_samples

PATIENCE = 90  # s, for anything that is waited for
SKIPPED = 77  # exit code, as CTest is told
PROGRAMS = pathlib.Path(sys.argv.pop(1)).resolve() if len(sys.argv) > 1 else None
NODES = JOBS = 3
GOOD = 0.6  # accuracy of the winner
NAME_SHOWN = 15  # letters of a program's name that the kernel keeps

FILE = """\
name = "lr"
program = "{program}"
arguments = ["--epochs", "{epochs}", "--train-images", "2000", "--batch-size", "64", "--no-autoscale"]
metric = "accuracy"
goal = "max"
trials = {trials}
method = "random"
seed = 2
replicas = 1

{stop}
[parameter.lr]
min = 1e-3
max = 0.1
scale = "log"
"""
# A pass is 32 steps, at whose end comes the accuracy.
ASHA = '[stop]\nkind = "asha"\nmin = 40\nmax = 160\neta = 2\n'

# The trial's program, which logs the samples that each run used. On one thread its sums are the same wherever it runs.
PROGRAM = """\
#!/bin/sh
export BATCHSCOPE_SAMPLE_LOG={samples}/$ADAPTDL_JOB_ID
export BATCHSCOPE_THREADS=1
mkdir -p "$BATCHSCOPE_SAMPLE_LOG"
exec {digits} "$@"
"""


def patiently(what, condition):
    return cluster.patiently(what, condition, PATIENCE)


class Desk:
    """A store, and the commands of whoever sits at it."""

    def __init__(self, folder, environment):
        self.folder = folder
        self.environment = environment | {"BATCHSCOPE_DB": str(folder / "runs.db"), "XDG_STATE_HOME": str(folder)}
        self.samples = folder / "samples"
        self.samples.mkdir(parents=True)

    def write(self, name, stop, trials, epochs=100):
        program = self.folder / "digits.sh"
        program.write_text(PROGRAM.format(samples=self.samples, digits=PROGRAMS / "digits"))
        program.chmod(0o755)
        file = self.folder / name
        file.write_text(FILE.format(program=program, stop=stop, trials=trials, epochs=epochs))
        return file

    def do(self, *words, code=0):
        done = subprocess.run([PROGRAMS / "batchscope", *words], env=self.environment, text=True, capture_output=True)
        if done.returncode != code:
            raise AssertionError(f"{words} exits {done.returncode}:\n{done.stdout}{done.stderr}{self.told()}")
        return done.stdout

    def status(self):
        return json.loads(self.do("sweep", "status", "lr", "--json"))

    def await_sweep(self, what, condition):
        """Waits until condition(status) of the sweep holds; returns its status."""
        def look():
            status = self.status()
            if status["sweep"]["state"] == "failed":
                raise AssertionError(f"{status['sweep']['message']}\n{self.told()}")
            return condition(status) and status
        try:
            return patiently(what, look)
        except TimeoutError as error:
            raise AssertionError(f"{error}:\n{self.told()}") from None

    def await_end(self):
        return self.await_sweep("the end of the sweep", lambda status: status["sweep"]["state"] == "finished")

    def driver(self):
        """The process that drives the sweeps of this store."""
        for process in pathlib.Path("/proc").glob("[0-9]*"):
            with contextlib.suppress(OSError):
                if (process / "comm").read_text().strip() == "batchscope-sweep"[:NAME_SHOWN] and (
                        f"BATCHSCOPE_DB={self.environment['BATCHSCOPE_DB']}" in (process / "environ").read_text().split("\0")):
                    return int(process.name)
        return None

    def told(self):
        log = self.folder / "sweep.log"
        jobs = "".join(f"--- {out}\n{out.read_text()}" for out in sorted(self.folder.glob("shared/*/job*")))
        status = subprocess.run([PROGRAMS / "batchscope", "sweep", "status", "lr"], env=self.environment, text=True, capture_output=True)
        return f"{status.stdout}{log.read_text() if log.exists() else ''}{jobs}"


class SweepTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.place = pathlib.Path(cls.enterClassContext(tempfile.TemporaryDirectory(prefix="slurm-")))
        cls.cluster = cls.enterClassContext(Cluster(cls.place / "cluster", nodes=NODES))

    def setUp(self):
        self.desk = Desk(self.place / self.id().rpartition(".")[2], self.cluster.environment())

    def tearDown(self):
        self.cluster.run("scancel", "--user", str(os.getuid()))
        patiently("an empty queue", lambda: not self.queue())
        patiently("the driver's end", lambda: not self.desk.driver())

    def queue(self, *options):
        """The jobs that have not ended."""
        return self.cluster.run("squeue", "--noheader", "--format=%i", *options).stdout.split()

    @contextlib.contextmanager
    def watching(self):
        """How many jobs run at once, each time that somebody looks."""
        seen, over = [], threading.Event()

        def look():
            while not over.wait(0.1):
                seen.append(len(self.queue("--states=RUNNING,COMPLETING")))

        watcher = threading.Thread(target=look)
        watcher.start()
        try:
            yield seen
        finally:
            over.set()
            watcher.join()

    def begin(self, trials, stop="", epochs=100):
        self.desk.do("sweep", "run", self.desk.write("lr.toml", stop, trials, epochs), "--slurm", "--jobs", str(JOBS), "--sbatch-arg=--exclusive",
                     "--folder", self.desk.folder / "shared", "--detach")

    def check_runs(self, trials, crashes=False):
        for trial in trials:
            [run] = trial["runs"]
            seen = json.loads(self.desk.do("show", run, "--json"))
            self.assertEqual(seen["run"]["latest"]["accuracy"], trial["value"])
            compare_ledger(seen["ledger"], used_samples(self.desk.samples / run, seen["ledger"], crashes))

    def test_comes_to_what_it_comes_to_without_slurm(self):
        with self.watching() as at_once:
            self.begin(6, ASHA)
            self.desk.await_sweep("a promoted trial", lambda status: any(leg["rung"] > 0 for leg in status["legs"]))
            os.kill(self.desk.driver(), signal.SIGKILL)
            patiently("nobody drives it", lambda: not self.desk.status()["sweep"]["driven"])
            self.desk.do("sweep", "resume", "lr")
            there = self.desk.await_end()
        self.assertLessEqual(max(at_once), JOBS)
        self.assertGreater(max(at_once), 1)
        self.assertGreater(there["sweep"]["best"]["value"], GOOD)
        self.assertEqual([trial["state"] for trial in there["trials"]].count("finished"), 1)
        self.assertTrue(all(trial["device_hours"] > 0 for trial in there["trials"]))
        self.check_runs(there["trials"])
        # A job for each leg, and none for none.
        legs = [leg["trial"] for leg in there["legs"]]
        for trial in there["trials"]:
            jobs = [json.loads(line) for line in (self.desk.folder / "shared" / trial["runs"][0] / "jobs.jsonl").read_text().splitlines()]
            self.assertEqual(len({job["job"] for job in jobs}), legs.count(trial["trial"]), self.desk.told())

        here = Desk(self.desk.folder / "here", dict(os.environ))
        here.do("sweep", "run", here.write("lr.toml", ASHA, 6), "--width", str(JOBS), "--headless")
        for one, other in zip(there["legs"], here.status()["legs"], strict=True):
            for key in ("trial", "rung", "parameters", "outcome", "value"):
                self.assertEqual(one[key], other[key])

    def test_is_stopped_and_goes_on_but_for_a_job_that_is_cancelled(self):
        blocker = self.cluster.submit("exec sleep 1000", f"--nodes={NODES - 1}", "--exclusive")
        self.cluster.wait_for_job(blocker, JobState="RUNNING")
        self.begin(2, epochs=8)
        told = self.desk.await_sweep("a trial that waits, and one that trains", lambda status: (
            [trial["state"] for trial in status["trials"]] == ["running", "pending"] and
            " on emulated" in status["trials"][1]["message"] and self.step(status, 0) > 0))
        self.assertRegex(told["trials"][1]["message"], r"job \d+ on emulated, partition main: .* \((Resources|Priority)\)")
        self.desk.do("sweep", "stop", "lr")
        patiently("no jobs but the blocker", lambda: self.queue() == [str(blocker)])
        patiently("the driver's end", lambda: not self.desk.driver())
        self.cluster.run("scancel", str(blocker))
        self.desk.do("sweep", "resume", "lr")
        [other] = self.desk.status()["trials"][1]["runs"]
        jobs = patiently("the job that waited", lambda: self.queue("--states=RUNNING", f"--name=batchscope-{other}"))
        self.cluster.run("scancel", *jobs)
        trials = self.desk.await_end()["trials"]
        self.assertEqual([trial["state"] for trial in trials], ["finished", "failed"])
        self.assertRegex(trials[1]["message"], r"job \d+ was cancelled")
        self.check_runs(trials[:1], crashes=True)

    def step(self, status, trial):
        [run] = status["trials"][trial]["runs"]
        return json.loads(self.desk.do("show", run, "--json"))["run"]["step"]


if __name__ == "__main__":
    if reason := cluster.missing():
        print(f"skipped: {reason}")
        sys.exit(SKIPPED)
    unittest.main()
