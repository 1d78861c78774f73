#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs on an emulated cluster, with real training: `run_test.py PROGRAMS [TEST...]`, PROGRAMS the folder of ours. Whatever
ends a job, the run goes on in the next, or is over where a person meant that; it comes to the accuracy that is asked for,
and uses each sample of a pass once."""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "scenarios")]
import cluster
from cluster import Cluster
from run_scenario import compare_ledger, used_samples

PATIENCE = 240  # seconds for what takes ten when nothing else runs: a job of Slurm shares the cores with whatever does
SKIPPED = 77  # exit code, as CTest is told
PROGRAMS = pathlib.Path(sys.argv.pop(1)).resolve() if len(sys.argv) > 1 else None
DIGITS = ("digits", "--epochs", "3", "--train-images", "6000")
GOOD = 0.6  # accuracy after these passes


def patiently(what, condition):
    return cluster.patiently(what, condition, PATIENCE)


class Run:
    """One that was submitted, as the folder that its jobs share tells of it."""

    def __init__(self, test, *program, options=(), **variables):
        self.cluster, self.samples = test.cluster, test.folder / "samples"
        self.samples.mkdir()
        self.environment = self.cluster.environment() | {"BATCHSCOPE_SAMPLE_LOG": str(self.samples)} | variables
        said = self.batchscope("submit", "--slurm", "--json", "--folder", test.folder / "runs", *options, "--", *program)
        self.answer = json.loads(said)
        self.folder = pathlib.Path(self.answer["folder"])

    def batchscope(self, *words):
        done = subprocess.run([PROGRAMS / "batchscope", *words], env=self.environment, text=True, capture_output=True)
        if done.returncode:
            raise AssertionError(f"{words} exits {done.returncode}:\n{done.stdout}{done.stderr}")
        return done.stdout

    def ask(self, *words):
        """A command, where the run trains."""
        return self.batchscope("slurm-job", self.folder, "--", *words)

    def jobs(self):
        """Number -> all that is told of it, in their order."""
        jobs = {}
        file = self.folder / "jobs.jsonl"
        for line in file.read_text().splitlines() if file.exists() else []:
            news = json.loads(line)
            jobs.setdefault(int(news["job"]), {}).update(news)
        return jobs

    def ends(self):
        return [job.get("how") for job in self.jobs().values()]

    def queue(self):
        return self.cluster.run("squeue", "--noheader", "--format=%i", "--name", f"batchscope-{self.answer['run']}").stdout.split()

    def newest(self):
        return list(self.jobs().values())[-1]

    def await_training(self, job=0):
        """Waits until the job of this place in their order trains, and returns its number."""
        def trains():
            jobs = self.jobs()
            if len(jobs) <= job:
                return None
            number = list(jobs)[job]
            if jobs[number].get("how"):
                raise AssertionError(f"job {number} has ended:\n{self.told()}")
            return number if re.search("(training|resumed) on", self.output(number)) else None
        return self.patiently(f"training of job {job} of the run", trains)

    def output(self, job):
        file = self.folder / f"job-{job}.out"
        return file.read_text() if file.exists() else ""

    def await_told(self, text, job):
        self.patiently(text, lambda: text in self.output(job))

    def await_end(self):
        """A run that trains on one core of a busy machine takes its time."""
        self.patiently("an empty queue", lambda: self.jobs() and not self.queue(), 2 * PATIENCE)

    def patiently(self, what, condition, patience=PATIENCE):
        try:
            return cluster.patiently(what, condition, patience)
        except TimeoutError as error:
            raise AssertionError(f"{error}:\n{self.told()}") from None

    def use(self, store):
        """Sets the store of the commands that follow."""
        self.environment |= {"BATCHSCOPE_DB": str(store / "runs.db"), "XDG_STATE_HOME": str(store)}

    def show(self, store):
        """Returns `batchscope show` in a store that takes the run from its folder."""
        self.use(store)
        self.batchscope("import", "--run-folder", self.folder)
        return json.loads(self.batchscope("show", self.folder.name, "--json"))

    def told(self):
        return "".join(f"--- job {job}: {news}\n{self.output(job)}" for job, news in self.jobs().items())


class ClusterTest(unittest.TestCase):
    """A cluster of three nodes that all tests of a class share."""

    @classmethod
    def setUpClass(cls):
        cls.place = pathlib.Path(cls.enterClassContext(tempfile.TemporaryDirectory(prefix="slurm-")))
        cls.cluster = cls.enterClassContext(Cluster(cls.place / "cluster", nodes=3))

    def setUp(self):
        self.folder = self.place / self.id().rpartition(".")[2]
        self.folder.mkdir()
        enough = self.folder / "enough"
        self.endless = (PROGRAMS / "stumble", "--until", enough, "--max-batch-size", "256")  # ends where this file is
        self.end = enough.touch

    def tearDown(self):
        self.cluster.run("scancel", "--user", str(os.getuid()))
        patiently("an empty queue", lambda: not self.cluster.run("squeue", "--noheader").stdout)

    def finishes(self, run, crashes=False):
        self.end()
        run.await_end()
        self.assertEqual(run.ends()[-1], "finished", run.told())
        seen = run.show(self.folder / "store")
        compare_ledger(seen["ledger"], used_samples(run.samples, seen["ledger"], crashes))
        return seen

    def begin_on(self, nodes, most, *program):
        """A run that trains on so many nodes of three, and may have more, which are idle by now; and its job."""
        self.await_nodes()
        blocker = self.cluster.submit("exec sleep 1000", f"--nodes={3 - nodes}", "--exclusive")
        self.cluster.wait_for_job(blocker, JobState="RUNNING")
        run = Run(self, *program, options=["--nodes", f"{nodes}-{most}"])
        job = run.await_training()
        self.cluster.run("scancel", str(blocker))
        patiently("idle nodes", lambda: list(self.cluster.states().values()).count("idle") == 3 - nodes)
        return run, job

    def await_nodes(self):
        patiently("idle nodes", lambda: set(self.cluster.states().values()) == {"idle"})


class RunTest(ClusterTest):
    def test_finishes_in_one_job(self):
        run = Run(self, *DIGITS)
        self.assertGreater(self.finishes(run)["run"]["latest"]["accuracy"], GOOD)
        self.assertEqual(len(run.jobs()), 1)

    def test_a_person_cancels(self):
        run = Run(self, *self.endless)
        job = run.await_training()
        self.cluster.run("scancel", str(job))
        run.await_end()
        self.assertEqual(run.ends(), ["told to end", "stopped"], run.told())

    def test_grows_beyond_its_nodes(self):
        run, _ = self.begin_on(1, 3, *self.endless)
        run.ask("rescale", "latest", "3")
        run.await_training(1)
        self.finishes(run)
        self.assertEqual(run.ends(), ["other nodes", "finished"], run.told())
        self.assertEqual(run.newest()["nodes"], 3)
        self.assertIn("resumed on 3 replicas", run.output(list(run.jobs())[-1]))

    def test_is_rescaled_from_two_nodes_to_one_to_three(self):
        run, job = self.begin_on(2, 3, *self.endless)
        self.assertIn("training on 2 replicas", run.output(job))
        run.ask("rescale", "latest", "1")
        run.await_told(" on 1 replica in ", job)
        run.ask("rescale", "latest", "3")
        run.await_training(1)
        self.finishes(run)
        self.assertEqual(run.ends(), ["other nodes", "finished"], run.told())
        self.assertIn("resumed on 3 replicas", run.output(list(run.jobs())[-1]))

    def test_gives_back_what_it_does_not_use(self):
        """The run gives back a node, and has it again in the next job."""
        self.await_nodes()
        run = Run(self, *self.endless, options=["--nodes", "1-2"], BATCHSCOPE_IDLE_NODES="1")
        job = run.await_training()
        run.ask("rescale", "latest", "1")
        run.await_told("given back to Slurm", job)
        patiently("idle nodes", lambda: list(self.cluster.states().values()).count("idle") == 2)
        run.ask("rescale", "latest", "2")
        run.await_training(1)
        self.finishes(run)
        self.assertEqual(run.ends(), ["other nodes", "finished"], run.told())
        self.assertIn("resumed on 2 replicas", run.output(list(run.jobs())[-1]))

    def test_goodput_chooses_its_nodes(self):
        """A program whose model is perfect scaling begins on the least of them, and goes on in a job with more."""
        self.await_nodes()
        run = Run(self, sys.executable, HERE / "scales.py", options=["--nodes", "1-2", "--replicas", "auto"])
        run.await_training()
        run.await_end()
        self.assertEqual(run.ends(), ["other nodes", "finished"], run.told())
        self.assertEqual([job["nodes"] for job in run.jobs().values()], [1, 2])
        self.assertIn("auto: on to 2 nodes, for 2 replicas: predicted goodput", run.told())

    def kill(self, run, first):
        """The first node of the run's job, or another."""
        nodes = self.cluster.run("scontrol", "show", "hostnames", self.cluster.job(list(run.jobs())[-1])["NodeList"]).stdout.split()
        host = run.newest()["host"]
        node = host if first else next(node for node in nodes if node != host)
        self.cluster.kill_node(node)
        self.addCleanup(self.await_nodes)
        self.addCleanup(self.cluster.start_node, node)

    def loses_a_node(self, first):
        self.await_nodes()
        run = Run(self, *self.endless, options=["--nodes", "2"])
        job = run.await_training()
        self.kill(run, first)
        if first:
            run.await_training(1)
        else:
            run.await_told("is gone", job)
        self.finishes(run, crashes=True)
        return run

    def test_goes_on_in_another_job_without_its_first_node(self):
        run = self.loses_a_node(first=True)
        self.assertEqual(run.ends(), [None, "finished"], run.told())

    def test_goes_on_without_another_node(self):
        """The run goes on at once, until Slurm ends the job for the node's loss, if it does not finish before; else in the next
        one."""
        self.loses_a_node(first=False)

    def test_outlives_the_controller(self):
        self.await_nodes()
        run = Run(self, *self.endless, options=["--nodes", "2-3"])
        job = run.await_training()
        host = run.newest()["host"]
        self.cluster.stop_controller()
        self.cluster.start_controller()
        step = ("srun", f"--jobid={job}", "--overlap", "--nodes=1", "--ntasks=1", f"--nodelist={host}", "true")
        patiently("a step", lambda: self.cluster.run(*step, check=False).returncode == 0)
        run.ask("rescale", "latest", "1")
        run.await_told(" on 1 replica in ", job)
        self.finishes(run)
        self.assertEqual(run.ends(), ["finished"], run.told())

    def test_doctor_finds_that_jobs_can_hand_on(self):
        said = subprocess.run([PROGRAMS / "batchscope", "doctor", "--slurm", "--try", "--json", "--folder", self.folder],
                              env=self.cluster.environment(), text=True, capture_output=True)
        self.assertEqual(said.returncode, 0, said.stdout)
        findings = {finding["subject"]: finding for finding in json.loads(said.stdout)["findings"]}
        for subject in ("Slurm", "partition", "preemption", "requeue", "successor", "nodes", "clock", "folder"):
            self.assertEqual(findings[subject]["level"], "ok", findings)
        self.assertEqual(findings["KillWait"]["level"], "warning")  # 3 s here
        self.assertIn("is seen by a node", findings["folder"]["text"])
        patiently("an empty queue", lambda: not self.cluster.run("squeue", "--noheader").stdout)

    def test_a_person_stops(self):
        """A person stops it from the store in which the run is followed."""
        run = Run(self, *self.endless)
        run.await_training()
        run.use(self.folder / "desk")
        patiently("the run's first lines", lambda: (run.folder / "record.jsonl").stat().st_size > 0)
        run.batchscope("follow", "--once", run.folder)
        run.batchscope("stop", "latest")
        run.await_end()
        self.assertEqual(run.ends(), ["stopped"], run.told())

    def test_is_preempted(self):
        run = Run(self, *DIGITS)
        run.await_training()
        self.cluster.run("srun", "--partition=urgent", "--nodes=3", "--exclusive", "sleep", "1")
        seen = self.finishes(run)
        self.assertEqual(run.ends(), ["told to end", "finished"], run.told())
        first = seen["generations"][0]
        self.assertEqual(first["outcome"], "checkpointed", run.told())
        rows = [row.split(",") for row in run.batchscope("export", run.folder.name, "--format", "csv", "--series", "loss", "-o",
                                                         "-").splitlines()[1:]]
        steps = [int(step) for _, generation, step, _ in rows if generation == "0"]
        self.assertEqual(steps, list(range(first["first_step"], first["last_step"] + 1)))

    def test_goes_on_after_its_time(self):
        run = Run(self, *self.endless)
        job = run.await_training()
        self.cluster.run("scancel", "--batch", "--signal=USR1", str(job))  # as --signal has it
        run.await_training(1)
        self.finishes(run)
        self.assertEqual(run.ends(), ["time limit", "finished"], run.told())


class ScriptTest(unittest.TestCase):
    """Scripts that are written or refused, for which no cluster is needed."""

    def submit(self, *options):
        return subprocess.run([PROGRAMS / "batchscope", "submit", "--slurm", "--print", *options], text=True, capture_output=True)

    def test_is_as_it_was(self):
        said = self.submit("digits", "--name", "two words", "--nodes", "1-3", "--gpus-per-node", "2", "--time", "1:00:00",
                           "--sbatch-arg=--account=x", "--folder", "/tmp/shared runs").stdout
        run = re.search(r"batchscope-(\w{8})", said)[1]
        self.assertEqual(said.replace(run, "k3v90abc").replace(str(PROGRAMS), "/usr/bin"), (HERE / "job.sh").read_text())

    def test_a_node_has_as_many_replicas_as_its_gpus_are_for(self):
        said = self.submit("digits", "--gpus-per-node", "4", "--devices-per-replica", "2").stdout
        self.assertIn("\nexport BATCHSCOPE_REPLICAS_PER_NODE=2\n", said)

    def test_bash_reads_it(self):
        script = self.submit("digits", "--folder", "/tmp/it's $HOME `here`").stdout
        words = subprocess.run(["bash", "-c", script.replace("exec ", "printf '%s\\n' ")], text=True, capture_output=True).stdout
        self.assertRegex(words.splitlines()[-1], r"^/tmp/it's \$HOME `here`/\w{8}$")

    def test_refuses_what_would_be_taken_for_something_else(self):
        for options in (["--nodes", "3-1"], ["--nodes", "0"], ["--time=-x"], ["--folder", "/tmp/a\nb"], ["--folder", '/tmp/"'],
                        ["--sbatch-arg=--job-name=x"], ["--sbatch-arg=-Jx"], ["--sbatch-arg=word"], ["--sbatch-arg=--a\nb"],
                        ["--gpus-per-node", "3", "--devices-per-replica", "4"],
                        ["--replicas", "2"], ["--hold"], ["--slurm=-x"], ["--slurm=a b"]):
            with self.subTest(options):
                self.assertEqual(self.submit("digits", *options).returncode, 2)


if __name__ == "__main__":
    if reason := cluster.missing():
        print(f"skipped: {reason}")
        sys.exit(SKIPPED)
    unittest.main()
