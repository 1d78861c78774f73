#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A pool whose nodes are jobs of an emulated cluster, with real training: `pool_test.py PROGRAMS [TEST...]`, PROGRAMS the folder of
ours. Whatever happens to its nodes, to Slurm's controller and to the pool itself, each run finishes, uses each sample of a pass once,
and no job and no process is left."""
import contextlib
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "scenarios")]
import cluster
from cluster import Cluster
from run_scenario import compare_ledger, used_samples

PATIENCE = 240  # seconds for what takes ten when nothing else runs
SKIPPED = 77  # exit code, as CTest is told
PROGRAMS = pathlib.Path(sys.argv.pop(1)).resolve() if len(sys.argv) > 1 else None
NODES = 3
RUNS = 10
GOOD = 0.6  # accuracy after four passes over 6000 images

# The runs' program, which logs the samples that each run used.
PROGRAM = """\
#!/bin/sh
export BATCHSCOPE_SAMPLE_LOG={samples}/$ADAPTDL_JOB_ID
mkdir -p "$BATCHSCOPE_SAMPLE_LOG"
exec {digits} --train-images 6000 "$@"
"""


def patiently(what, condition):
    return cluster.patiently(what, condition, PATIENCE)


class Desk:
    """A store on a disk that the nodes share, and the commands of whoever sits at it."""

    def __init__(self, folder, environment):
        self.folder = folder
        self.samples = folder / "samples"
        self.samples.mkdir(parents=True)
        self.environment = environment | {"BATCHSCOPE_DB": str(folder / "runs.db"), "XDG_STATE_HOME": str(folder),
                                          "BATCHSCOPE_IDLE_NODES": "1", "TMPDIR": str(folder)}
        self.program = folder / "digits.sh"
        self.program.write_text(PROGRAM.format(samples=self.samples, digits=PROGRAMS / "digits"))
        self.program.chmod(0o755)

    def do(self, *words):
        done = subprocess.run([PROGRAMS / "batchscope", *words], env=self.environment, text=True, capture_output=True)
        if done.returncode:
            raise AssertionError(f"{words} exits {done.returncode}:\n{done.stdout}{done.stderr}{self.log()}")
        return done.stdout

    def ask(self, *words):
        return json.loads(self.do(*words, "--json"))

    def submit(self, name, epochs):
        options = ("--name", name, "--checkpoint-every", "2s", "--replicas", "1")
        return json.loads(self.do("submit", "--json", *options, self.program, "--", "--epochs", str(epochs)))["job"]["run"]

    def jobs(self):
        return self.ask("queue", "--all")["queue"]

    def nodes_of(self, run):
        """Returns the nodes on which it trains: "n2.17"."""
        return {device.rpartition("/")[0] for job in self.jobs() if job["run"] == run for device in job["devices"]}

    def trains(self, run):
        """Returns its node; None where it does not train."""
        seen = self.ask("show", run)["run"]
        return next(iter(self.nodes_of(run)), None) if seen["state"] == "running" and seen["step"] > 0 else None

    def log(self):
        log = self.folder / "pool.log"
        return f"\npool.log:\n{log.read_text()[-6000:] if log.exists() else ''}"

    def processes(self):
        """Returns the processes of this store, by their environment."""
        mark, found = f"BATCHSCOPE_DB={self.environment['BATCHSCOPE_DB']}".encode(), []
        for process in pathlib.Path("/proc").glob("[0-9]*"):
            with contextlib.suppress(OSError):
                if mark in (process / "environ").read_bytes().split(b"\0"):
                    found.append(f"{process.name} {(process / 'comm').read_text().strip()}")
        return found

    def patiently(self, what, condition):
        try:
            return patiently(what, condition)
        except TimeoutError as error:
            status = self.do("queue", "--all") + self.do("pool")
            raise AssertionError(f"{error}:\n{status}{self.log()}") from None


class PoolTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.place = pathlib.Path(cls.enterClassContext(tempfile.TemporaryDirectory(prefix="slurm-")))
        cls.cluster = cls.enterClassContext(Cluster(cls.place / "cluster", nodes=NODES))

    def setUp(self):
        patiently("idle nodes", lambda: set(self.cluster.states().values()) == {"idle"})
        self.desk = Desk(self.place / self.id().rpartition(".")[2], self.cluster.environment())

    def queue(self, *options):
        """The jobs that have not ended: number -> node."""
        lines = self.cluster.run("squeue", "--noheader", "--format=%i %N", *options, check=False).stdout.splitlines()
        return {number: node for number, _, node in (line.partition(" ") for line in lines)}

    def await_training(self, run):
        """Waits until it trains; returns its node."""
        return self.desk.patiently("training", lambda: self.desk.trains(run))

    def finish(self, *runs, crashes=False):
        """All of them finish, and all that the pool had is given back."""
        self.desk.patiently("the end of the runs", lambda: all(
            job["state"] in ("succeeded", "failed", "cancelled") for job in self.desk.jobs()))
        for run in runs:
            seen = self.desk.ask("show", run)
            self.assertEqual(seen["run"]["state"], "finished", seen["run"]["message"])
            self.assertGreater(seen["run"]["latest"]["accuracy"], GOOD)
            compare_ledger(seen["ledger"], used_samples(self.desk.samples / run, seen["ledger"], crashes))
        self.desk.patiently("an empty queue", lambda: not self.queue())
        self.desk.patiently("the end of all processes", lambda: not self.desk.processes())

    def nodes_in_use(self, runs):
        return {node for run in runs if (node := self.desk.trains(run))}

    def share_nodes_that_come_and_go(self, policy):
        """Ten runs on up to three nodes, of which one is killed; the pool is killed, and Slurm's controller restarted."""
        said = self.desk.do("pool", "--slurm=main", "--nodes", f"1-{NODES}", "--policy", policy)
        self.assertIn("none of this machine's", said)
        self.assertEqual(self.queue(), {})  # nobody needs one yet
        runs = [self.desk.submit(f"run-{number}", 4) for number in range(RUNS)]
        nodes = self.desk.patiently("training on all nodes", lambda: len(used := self.nodes_in_use(runs)) == NODES and used)

        os.kill(self.desk.ask("pool")["heartbeat"]["pid"], signal.SIGKILL)
        self.cluster.stop_controller()
        self.cluster.start_controller()
        self.desk.patiently("another pool", lambda: self.desk.ask("pool")["alive"])
        self.assertEqual(len(self.queue()), NODES)

        lost = min(nodes).partition(".")[0]
        self.cluster.kill_node(lost)
        self.addCleanup(self.cluster.start_node, lost)
        self.finish(*runs, crashes=True)
        self.assertTrue(all(job["crashes"] == 0 for job in self.desk.jobs()))
        self.assertEqual(self.desk.ask("pool")["settings"]["policy"], policy)

    def test_runs_share_nodes_by_fair(self):
        self.share_nodes_that_come_and_go("fair")

    def test_runs_share_nodes_by_pollux(self):
        self.share_nodes_that_come_and_go("pollux")

    def end(self, run):
        """A person gives the nodes back, and cancels the run."""
        self.desk.do("pool", "--slurm=off")
        self.desk.patiently("an empty queue", lambda: not self.queue())
        self.desk.patiently("the settings", lambda: not self.desk.ask("pool")["settings"]["nodes_from"])
        self.desk.do("cancel", run)
        self.desk.patiently("the end of all processes", lambda: not self.desk.processes())

    def await_training_elsewhere(self, run, before):
        return self.desk.patiently("training on another node", lambda: (
            node := self.desk.trains(run)) not in (None, before) and node)

    def test_a_run_outlives_its_nodes(self):
        """One is drained, of the next the time is over: each time it goes on in another job, without a step done twice."""
        self.desk.do("pool", "--slurm", "--time=1")
        run = self.desk.submit("long", 1000)
        first = self.await_training(run)
        drained, _, number = first.partition(".")
        self.cluster.run("scontrol", "update", f"NodeName={drained}", "State=DRAIN", "Reason=repair")
        self.addCleanup(self.cluster.run, "scontrol", "update", f"NodeName={drained}", "State=RESUME")
        second = self.await_training_elsewhere(run, first)
        self.assertNotEqual(second.partition(".")[0], drained)
        self.desk.patiently("the drained node's job given back", lambda: number not in self.queue())
        self.await_training_elsewhere(run, second)
        seen = self.desk.ask("show", run)
        self.assertEqual({generation["outcome"] for generation in seen["generations"][:-1]}, {"checkpointed"})
        self.assertEqual([job["crashes"] for job in self.desk.jobs()], [0])
        self.end(run)

    def test_after_jobs_that_end_at_once_the_next_ones_wait(self):
        """Slurm cannot open the file for their errors; the queue says that they end, and each next one knows how many did."""
        self.desk.do("pool", "--slurm", "--sbatch-arg=--error=/nowhere/err")
        run = self.desk.submit("waits", 1)
        self.desk.patiently("the reason", lambda: "ended after" in self.desk.jobs()[0]["reason"])
        def counted():
            return self.cluster.run("squeue", "--noheader", "--states=all", "--sort=i", "--format=%k").stdout.split()[-2:]
        self.desk.patiently("the next job", lambda: counted() == ["(null)", "1"])
        self.end(run)


if __name__ == "__main__":
    if reason := cluster.missing():
        print(f"skipped: {reason}")
        sys.exit(SKIPPED)
    unittest.main()
