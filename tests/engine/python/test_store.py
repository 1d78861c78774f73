#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""batchscope.runs() and what a run has, read while the program `batchscope` writes it and after. What is read is compared with what
the programs say of the same."""

import json
import os
import pathlib
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import textwrap
import time
import unittest

import batchscope
from batchscope import store
from programs import WithPrograms

SAMPLES = 5000


def files_in(folder):
    """The content of each file below a folder, but for what SQLite lays beside a database: shared memory, and an empty log."""
    contents = {str(path): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file() and path.suffix != ".db-shm"}
    return {path: content for path, content in contents.items() if content or not path.endswith("-wal")}


class Store(WithPrograms):
    def import_table(self, name, rows):
        """Makes a run of a table's columns."""
        file = self.home / f"{name}.csv"
        file.write_text("\n".join(",".join(map(str, row)) for row in rows))
        self.program("import", str(file))

    def connect(self, run):
        """The file of a run's samples, to be spoilt."""
        connection = sqlite3.connect(run.folder / "samples.db", isolation_level=None)
        self.addCleanup(connection.close)
        return connection

    def assert_as_in_sql(self, run, name):
        """The samples are those of `batchscope sql`."""
        rows = json.loads("[" + ",".join(self.program(
            "sql", "--json", "--run", run.id, "SELECT generation, step, value FROM sample "
            f"WHERE series = '{name}' ORDER BY generation, step").split("\n"))[:-1] + "]")
        series = run.series(name)
        self.assertEqual(series.generations.tolist(), [row["generation"] for row in rows])
        self.assertEqual(series.steps.tolist(), [row["step"] for row in rows])
        self.assertEqual([repr(value) for value in series.values.tolist()],
                         ["nan" if row["value"] is None else repr(float(row["value"])) for row in rows])


class OfRuns(Store):
    def setUp(self):
        super().setUp()
        for name, accuracy in (("good", 0.98), ("bad", 0.5)):
            self.import_table(name, [("step", "accuracy"), (1, 0.1), (2, accuracy)])

    def test_a_filter_means_what_it_means_to_ls(self):
        self.assertEqual([run.name for run in batchscope.runs("accuracy>0.97 and not name~bad")], ["good"])
        self.assertEqual({run.name for run in batchscope.runs()}, {"good", "bad"})
        listed = json.loads(self.program("ls", "--json"))["runs"]
        self.assertEqual([run.id for run in batchscope.runs()], [run["id"] for run in listed])

    def test_a_wrong_filter_is_pointed_at(self):
        with self.assertRaisesRegex(ValueError, r"column 11.*\n.*acuracy"):
            batchscope.runs("step=2 or acuracy>0.97")

    def test_a_run_says_what_the_programs_say(self):
        self.program("tag", "good", "paper")
        self.program("note", "good", "the one to show")
        run, = batchscope.runs("tag=paper")
        self.assertEqual((run.name, run.state, run.step, run.tags, run.note, run.latest["accuracy"]),
                         ("good", "stopped", 2, ["paper"], "the one to show", 0.98))

    def test_another_store_and_the_trash(self):
        elsewhere = self.home / "elsewhere"
        elsewhere.mkdir()
        shutil.copytree(self.home / "runs", elsewhere / "runs")
        shutil.copy(self.home / "runs.db", elsewhere)
        self.program("rm", "good")
        self.assertEqual([run.name for run in batchscope.runs(trash=True)], ["good"])
        del os.environ["BATCHSCOPE_DB"]
        for named in (elsewhere, str(elsewhere / "runs.db")):
            good, = batchscope.runs("name=good", store=named)
            self.assertEqual(good.series("accuracy").values.tolist(), [0.1, 0.98])
            self.assertEqual(good.folder.parent, elsewhere / "runs")

    def test_where_there_is_no_store_there_are_no_runs(self):
        os.environ["BATCHSCOPE_DB"] = str(self.home / "none/runs.db")
        self.assertEqual(batchscope.runs(), [])
        self.assertFalse((self.home / "none").exists())

    def test_a_catalogue_of_another_version_is_refused_by_name_and_left_alone(self):
        newest = store._CATALOGUE[1]
        with sqlite3.connect(self.home / "runs.db") as connection:
            self.assertEqual(connection.execute("PRAGMA user_version").fetchone(), (newest,), "engine/python reads another one")
        for version, remedy in ((newest + 1, "use a newer BatchScope"), (newest - 1, "`batchscope ls` brings it up to")):
            with sqlite3.connect(self.home / "runs.db") as connection:
                connection.execute(f"PRAGMA user_version = {version}")
            connection.close()
            before = files_in(self.home)
            with self.assertRaisesRegex(store.StoreError, f"runs.db has version {version} .*{remedy}") as caught:
                batchscope.runs()
            self.assertEqual(caught.exception.kind, "version")
            self.assertEqual(files_in(self.home), before)

    def test_another_database_is_refused_by_name(self):
        run = batchscope.runs()[0]
        with self.assertRaisesRegex(store.StoreError, "samples.db is a database, but not a run catalogue"):
            batchscope.runs(store=run.folder / "samples.db")
        (self.home / "text.db").write_text("no database, but a text that is long enough for one")
        with self.assertRaisesRegex(store.StoreError, "text.db: file is not a database"):
            batchscope.runs(store=self.home / "text.db")

    def test_a_run_that_was_deleted_cannot_be_refreshed(self):
        run, = batchscope.runs("name=good")
        self.program("rm", "--purge", "--yes", "good")
        with self.assertRaisesRegex(store.StoreError, run.id) as caught:
            run.refresh()
        self.assertEqual(caught.exception.kind, "not_found")

    def test_runs_become_a_table(self):
        table = batchscope.runs().to_pandas()
        self.assertEqual(table.set_index("name").loc["good", "accuracy"], 0.98)
        self.assertEqual(str(table["created"].dtype), "datetime64[ns, UTC]")
        self.assertEqual(len(batchscope.runs("step>99").to_pandas()), 0)


class Samples(Store):
    def long_run(self):
        """A run of thousands of samples, at steps of all kinds of distances, among them none, some repeated, and values of all
        kinds."""
        chance = random.Random(1)
        step, rows = 0, [("step", "loss", "lr")]
        for number in range(SAMPLES):
            step += chance.choice([0, 1, 1, 1, 1, 127, 128, 20_000, 1 << 40]) if number > 2000 else 1
            rows.append((step, chance.choice([chance.random(), chance.random(), "nan", "inf", "-inf"]), number))
        self.import_table("long", rows)
        return batchscope.runs()[0]

    def test_series_are_as_sql_has_them(self):
        run = self.long_run()
        self.assertEqual(run.series_names, ["loss", "lr"])
        self.assertEqual(len(run.series("lr").steps), SAMPLES)
        self.assertEqual(run.series("lr").values.tolist(), list(range(SAMPLES)))
        self.assert_as_in_sql(run, "loss")

    def test_arrays_are_the_callers_own(self):
        import numpy
        series = self.long_run().series("lr")
        self.assertEqual([array.dtype for array in series], [numpy.int64, numpy.float64, numpy.int32])
        for array in series:
            array += 1

    def test_series_that_are_not_there_are_told_by_name(self):
        run = self.long_run()
        with self.assertRaisesRegex(store.StoreError, f"run {run.id} has no series 'los'; it has: loss, lr"):
            run.series("los")
        (run.folder / "samples.db").unlink()
        with self.assertRaisesRegex(store.StoreError, f"run {run.id} has no samples yet"):
            run.series("loss")

    def test_damage_is_told_by_its_place(self):
        run = self.long_run()
        connection = self.connect(run)
        first, last, data = connection.execute("SELECT first_step, last_step, data FROM chunk WHERE number = 1 AND track = "
                                               "(SELECT id FROM track WHERE series = 'loss')").fetchone()
        faults = {"data = ?": bytes([data[0] ^ 1]) + data[1:], "steps = ?": b"\0", "max = max + ?": 1}
        for fault, value in faults.items():
            connection.execute("BEGIN")
            where = "WHERE number = 1 AND track = (SELECT id FROM track WHERE series = 'loss')"
            connection.execute(f"UPDATE chunk SET {fault} {where}", (value,))
            connection.execute("COMMIT")
            with self.assertRaisesRegex(store.StoreError, f"'loss', generation 0: .*steps {first} to {last} are damaged"):
                run.series("loss")
            run.series("lr")

    def test_samples_that_are_missing_are_missed(self):
        run = self.long_run()
        self.connect(run).execute("DELETE FROM chunk WHERE number = 2")
        with self.assertRaisesRegex(store.StoreError, "some samples are damaged"):
            run.series("loss")

    def test_samples_of_a_newer_version_are_refused_by_name(self):
        run = self.long_run()
        self.connect(run).execute("PRAGMA user_version = 2")
        with self.assertRaisesRegex(store.StoreError, "samples.db has version 2 .*knows up to 1: use a newer BatchScope"):
            run.series("loss")

    def test_reading_writes_nothing(self):
        run = self.long_run()
        before = files_in(self.home)
        batchscope.runs("loss>0")[0].refresh()
        self.assertTrue(run.events is not None and run.ledger == [] and run.series("loss") and run.series_names)
        self.assertEqual(files_in(self.home), before)

    def test_series_become_a_table(self):
        run = self.long_run()
        table = run.series("lr").to_pandas()
        self.assertEqual((list(table.columns), len(table)), (["step", "value", "generation"], SAMPLES))
        self.import_table("short", [("series", "step", "value"), ("loss", 1, 3), ("loss", 2, 2), ("loss", 2, 1), ("accuracy", 2, 0.5)])
        short, = batchscope.runs("name=short")
        self.assertEqual(short.to_pandas().fillna(-1).to_dict("list"), {"accuracy": [-1, 0.5], "loss": [3, 1]})
        self.assertEqual(list(short.to_pandas("loss").columns), ["loss"])


class Training(Store):
    def test_a_run_is_read_while_it_is_written(self):
        script = self.home / "train.py"
        script.write_text(textwrap.dedent("""
            import batchscope, sys, time
            for step in range(1, 200_000):
                batchscope.step(loss=1 / step)
                time.sleep(0.001)
        """))
        self.program("run", "--detach", "--name", "live", str(script))
        run, = batchscope.runs()
        self.assertIsNone(run.ended)
        seen = 0
        while seen < 1000:  # over several commits
            steps, losses, _ = run.series("loss") if "loss" in run.series_names else ([], [], [])
            self.assertEqual(list(steps), list(range(1, len(steps) + 1)))
            self.assertEqual(list(losses), [1 / step for step in steps])
            self.assertGreaterEqual(len(steps), seen)
            seen = len(steps)
        self.assertGreater(run.refresh().step, 0)
        self.program("stop", "live")
        while run.refresh().ended is None:
            time.sleep(0.05)
        self.assert_as_in_sql(run, "loss")

    def test_history_is_what_show_says(self):
        self.program("run", "digits", "--quiet", "--replicas", "2", "--at", "step=20:replicas=1", "--", "--epochs", "1",
                     "--train-images", "2000")
        run, = batchscope.runs()
        shown = json.loads(self.program("show", "latest", "--json"))
        self.assertEqual([event.text for event in run.events], [event["text"] for event in shown["events"]])
        self.assertEqual([(one.number, one.replicas, one.reason) for one in run.generations], [(0, 2, "start"), (1, 1, "trigger")])
        self.assertEqual(run.generations[1].pause, shown["generations"][1]["pause"])
        self.assertEqual(run.hyperparameters, shown["hyperparameters"])
        self.assertEqual([one.name for one in run.checkpoints], [one["name"] for one in shown["checkpoints"]])
        training = [stretch for stretch in run.ledger if stretch.loader == "train-0" and stretch.number == 0]
        self.assertEqual(training[0].begin, 0)
        self.assertEqual(training[-1].end, training[-1].dataset_size)
        self.assert_as_in_sql(run, "loss")
        self.assertEqual(set(run.series("loss").generations.tolist()), {0, 1})
        self.assertEqual(set(run.series("loss", generation=1).generations.tolist()), {1})


class Types(unittest.TestCase):
    def check(self, *arguments, **more):
        done = subprocess.run([sys.executable, "-m", "mypy", "--strict", "--follow-imports=silent", "--cache-dir", os.devnull,
                               *arguments], text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False, **more)
        self.assertEqual(done.returncode, 0, done.stdout)

    def test_the_package_is_strictly_typed(self):
        folder = pathlib.Path(batchscope.__file__).parent
        self.check(*(str(folder / name) for name in ("__init__.py", "store.py", "_program.py", "_charts.py", "_notebook.py")))

    def test_so_is_a_script_that_uses_it(self):
        with tempfile.TemporaryDirectory() as home:
            (pathlib.Path(home) / "script.py").write_text(textwrap.dedent("""
                import batchscope
                for run in batchscope.runs(where="accuracy>0.97"):
                    steps, values, _ = run.series("loss")
                    best: float = values.min().item()
                    print(run.name, steps[-1], best, [event.text for event in run.events])
                    batchscope.record(best=best)
            """))
            self.check("script.py", cwd=home, env={**os.environ, "MYPYPATH": str(pathlib.Path(batchscope.__file__).parents[1])})


class WithoutNumpy(unittest.TestCase):
    def test_the_package_needs_neither_numpy_nor_pandas(self):
        done = subprocess.run([sys.executable, "-c", "import sys, batchscope.store; sys.exit(bool({'numpy', 'pandas'} & set(sys.modules)))"],
                              check=False)
        self.assertEqual(done.returncode, 0)


class WithoutTheProgram(unittest.TestCase):
    def test_what_to_install_is_said(self):
        with tempfile.TemporaryDirectory() as home:
            shutil.copytree(pathlib.Path(batchscope.__file__).parent, f"{home}/package/batchscope",
                            ignore=shutil.ignore_patterns("*.so"))
            script = "from batchscope import _program, store\ntry:\n    _program.find()\nexcept store.StoreError as error:\n    print(error)"
            printed = subprocess.run([sys.executable, "-c", script], text=True, capture_output=True, check=True,
                                     env={"PATH": home, "PYTHONPATH": f"{home}/package"}).stdout
        self.assertIn("neither beside this package nor on PATH", printed)


if __name__ == "__main__":
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    unittest.main()
