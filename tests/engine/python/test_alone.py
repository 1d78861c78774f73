#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A script that is started by itself, `python3 train.py`, and logs as W&B's or MLflow's client would, has a run in the store, which ends
as the script does."""

import os
import pathlib
import signal
import subprocess
import sys
import textwrap
import unittest

import batchscope
from programs import WithPrograms

BEGIN = """
    import os, signal, sys, time
    import batchscope as wandb
    run = wandb.init(project="shapes", name="first", config={"lr": 0.1}, tags=["a", "b,c"], notes="a note")
    print(run.id, flush=True)
    wandb.log({"loss": 1.0})
"""


class Alone(WithPrograms):
    def start(self, script, **variables):
        file = self.home / "train.py"
        file.write_text(textwrap.dedent(script))
        return subprocess.Popen([sys.executable, str(file), "--lr", "0.1"], cwd=self.home, env={**os.environ, **variables}, text=True,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def finish(self, process, code=0):
        """Waits for a script, and for its run, which it returns with what the script printed."""
        printed, errors = process.communicate()
        self.assertEqual(process.returncode, code, errors)
        for run in batchscope.runs():
            subprocess.run([batchscope._program.find(), "attach", run.id], capture_output=True, check=False)
        return batchscope.runs(), printed, errors

    def run_alone(self, script, code=0, **variables):
        return self.finish(self.start(script, **variables), code)

    def test_it_has_a_run_that_ends_with_it(self):
        (run,), printed, errors = self.run_alone(BEGIN + """
    for step in range(2, 100):
        wandb.log({"loss": 1 / step, "val": {"acc": 0.5}})
    with open(os.path.join(run.dir, "model.txt"), "w") as file:
        file.write("weights")
""")
        self.assertEqual(printed.strip(), run.id)
        self.assertIn(f"run {run.id} is recorded: batchscope show {run.id}", errors)
        self.assertEqual((run.state, run.name, run.group, list(run.tags), run.note), ("finished", "first", "shapes", ["a", "b c"], "a note"))
        self.assertEqual(run.hyperparameters, {"lr": "0.1"})
        self.assertEqual(run.series("loss").steps.tolist(), list(range(1, 100)))
        self.assertEqual(run.series("accuracy").values.tolist(), [0.5] * 98)
        self.assertEqual(run.spec["arguments"][-3:], [str(self.home / "train.py"), "--lr", "0.1"])
        self.assertEqual((run.folder / "share/model.txt").read_text(), "weights")

    def test_an_exception_is_how_it_ended(self):
        (run,), _, errors = self.run_alone(BEGIN + "    raise ValueError('no such file')\n", code=1)
        self.assertEqual(run.state, "failed")
        self.assertIn("ValueError: no such file", run.message)
        self.assertIn("Traceback", errors)
        self.assertEqual(run.series("loss").values.tolist(), [1])

    def test_one_that_was_killed_is_marked(self):
        (run,), _, _ = self.run_alone(BEGIN + "    os.kill(os.getpid(), signal.SIGKILL)\n", code=-signal.SIGKILL)
        self.assertEqual(run.state, "failed")
        self.assertIn("ended without reporting its end: it was killed, or it crashed", run.message)

    def test_it_is_marked_although_a_process_of_its_own_lives_on(self):
        (run,), _, _ = self.run_alone(BEGIN + """
    if os.fork() == 0:
        os.close(1), os.close(2)
        while os.getppid() != 1 and not os.path.exists("ended"):
            time.sleep(0.01)
        time.sleep(0.5)
        os._exit(0)
    os.kill(os.getpid(), signal.SIGKILL)
""", code=-signal.SIGKILL)
        self.assertEqual(run.state, "failed")

    def test_a_process_of_its_own_ends_nothing(self):
        (run,), _, _ = self.run_alone(BEGIN + """
    import multiprocessing
    def work(value):
        wandb.log({"loss": 99})
        return value
    with multiprocessing.get_context("fork").Pool(2) as pool:
        pool.map(work, range(4))
    child = os.fork()
    if child == 0:
        sys.exit(3)
    os.waitpid(child, 0)
    wandb.log({"loss": 2.0})
""")
        self.assertEqual((run.state, run.series("loss").values.tolist()), ("finished", [1, 2]))

    def test_stop_reaches_the_script(self):
        process = self.start(BEGIN + """
    def leave(*_):
        print("asked to leave")
        sys.exit(0)
    signal.signal(signal.SIGTERM, leave)
    print("ready", flush=True)
    while True:
        time.sleep(0.01)
""")
        run = process.stdout.readline().strip()
        self.assertEqual(process.stdout.readline().strip(), "ready")
        self.program("stop", run)
        (run,), printed, _ = self.finish(process)
        self.assertEqual((run.state, printed), ("stopped", "asked to leave\n"))

    def test_ctrl_c_stops_it(self):
        process = self.start(BEGIN + """
    print("ready", flush=True)
    time.sleep(1000)
""")
        process.stdout.readline()
        self.assertEqual(process.stdout.readline().strip(), "ready")
        process.send_signal(signal.SIGINT)
        (run,), _, errors = self.finish(process, -signal.SIGINT)
        self.assertEqual((run.state, run.series("loss").values.tolist()), ("stopped", [1]))
        self.assertIn("KeyboardInterrupt", errors)

    def test_it_cannot_be_resumed_from_elsewhere_and_says_so(self):
        (run,), _, _ = self.run_alone(BEGIN + "    os.kill(os.getpid(), signal.SIGKILL)\n", code=-signal.SIGKILL)
        self.program("resume", run.id, code=1)
        self.assertIn("was not started by `batchscope run`, so it cannot be restarted from here", run.refresh().message)

    def test_a_script_that_resumes_its_run_goes_on_with_it(self):
        script = """
            import batchscope as wandb, os, signal
            run = wandb.init(id="fold, one", resume="allow", config={"lr": 0.1})
            print(run.id, run.resumed, run.step)
            for step in range(3):
                wandb.log({"loss": run.step})
            wandb.log({"loss": 0}, step=run.step + 1)
            if KILLED:
                os.kill(os.getpid(), signal.SIGKILL)
        """
        (first,), _, _ = self.run_alone("KILLED = True\n" + textwrap.dedent(script), code=-signal.SIGKILL)
        (run,), printed, errors = self.run_alone("KILLED = False\n" + textwrap.dedent(script))
        self.assertEqual((run.id, run.state, len(run.generations)), (first.id, "finished", 2))
        self.assertIn(f"run {run.id} goes on", errors)
        steps, _, generations = run.series("loss")
        self.assertEqual(printed, f"{run.id} True {first.step}\n")
        self.assertEqual(steps[generations == 1].tolist(), list(range(first.step + 1, first.step + 5)))
        self.assertEqual(run.tags, ["id:fold one"])
        runs, printed, _ = self.run_alone("KILLED = False\n" + textwrap.dedent(script))  # one that has finished stays so
        self.assertEqual((len(runs), printed.split()[1]), (2, "False"))

    def test_one_script_may_have_several_runs_one_after_the_other(self):
        runs, printed, _ = self.run_alone("""
            import batchscope as wandb
            for number in range(2):
                with wandb.init(name=f"run-{number}", config={"number": number}) as run:
                    run.log({"loss": number})
            try:
                with wandb.init(name="run-2"):
                    raise KeyError("x")
            except KeyError:
                pass
        """)
        self.assertEqual([(run.name, run.state, run.hyperparameters) for run in reversed(runs)],
                         [("run-0", "finished", {"number": "0"}), ("run-1", "finished", {"number": "1"}), ("run-2", "failed", {})])
        self.assertEqual([run.series("loss").values.tolist() for run in runs[1:]], [[1], [0]])

    def test_of_several_ranks_the_first_is_recorded(self):
        self.assertEqual(self.run_alone("import batchscope as wandb\nwandb.init()\nwandb.log({'loss': 1})", RANK="1")[0], [])
        self.assertEqual(len(self.run_alone("import batchscope as wandb\nwandb.init()\nwandb.log({'loss': 1})", RANK="0")[0]), 1)

    def test_without_the_program_it_trains_as_ever(self):
        package = self.home / "package"
        package.mkdir()
        (package / "batchscope").symlink_to(pathlib.Path(batchscope.__file__).parent)
        runs, printed, errors = self.run_alone(BEGIN + "    print('trained')\n", PATH=str(self.home), PYTHONPATH=str(package))
        self.assertEqual((runs, printed.splitlines()[-1]), ([], "trained"))
        self.assertRegex(errors, "^batchscope: nothing is recorded: the program batchscope is neither beside this package nor on PATH")

    def test_a_store_that_cannot_be_written_is_named(self):
        (self.home / "file").write_text("")
        runs, printed, errors = self.run_alone(BEGIN + "    print('trained')\n", BATCHSCOPE_DB=str(self.home / "file/runs.db"))
        self.assertEqual(printed.splitlines()[-1], "trained")
        self.assertRegex(errors, "batchscope: nothing is recorded: .*file")

    def test_mlflow_begins_a_run_by_itself(self):
        (run,), _, _ = self.run_alone("""
            import batchscope.mlflow as mlflow
            mlflow.set_experiment("wine")
            mlflow.log_param("alpha", 0.5)
            for epoch in range(1, 4):
                mlflow.log_metric("rmse", 1 / epoch, step=epoch)
        """)
        self.assertEqual((run.state, run.group, run.name, run.hyperparameters), ("finished", "wine", "train.py", {"alpha": "0.5"}))
        self.assertEqual(run.series("rmse").steps.tolist(), [1, 2, 3])

    def test_under_a_supervisor_the_run_is_the_supervisors(self):
        (self.home / "train.py").write_text(textwrap.dedent(BEGIN))
        self.program("run", "--name", "mine", "--quiet", "train.py")
        run, = batchscope.runs()
        self.assertEqual((run.name, run.state, sorted(run.tags), run.note), ("mine", "finished", ["a", "b c"], "a note"))
        self.assertEqual(run.series("loss").values.tolist(), [1])


if __name__ == "__main__":
    unittest.main()
