#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A script that records tells its supervisor; it tells nothing, and is not held up, where nobody listens."""

import json
import time
import unittest

from supervisor import Supervised


class Record(Supervised):
    def test_one_line_charts_a_script(self):
        self.run_script("""
            import batchscope
            for loss in (3, 2, 1):
                batchscope.record(loss=loss)
        """)
        self.assertEqual(self.series("loss"), {1: 3, 2: 2, 3: 1})
        self.assertEqual(self.series("replicas"), {1: 2, 2: 2, 3: 2})
        self.assertEqual(sorted(self.series("mono").values()), list(self.series("mono").values()))

    def test_what_comes_several_times_in_a_step_counts_as_its_mean(self):
        self.run_script("""
            import batchscope
            batchscope.step(loss=1)
            for loss in (2, 4):
                batchscope.record({"loss": loss})
            batchscope.step()
        """)
        self.assertEqual(self.series("loss"), {1: 1, 2: 3})

    def test_a_step_has_a_time_and_with_a_batch_size_a_throughput(self):
        self.run_script("""
            import batchscope, time
            for batch in batchscope.batches([1, 2]):
                time.sleep(0.01)
                batchscope.step(batch_size=50)
        """)
        for step, seconds in self.series("step_time").items():
            self.assertGreaterEqual(seconds, 0.01)
            self.assertAlmostEqual(self.series("throughput")[step], 50 / seconds)

    def test_a_step_lasts_from_the_end_of_the_one_before(self):
        self.run_script("""
            import batchscope, time
            def loader():
                for batch in (1, 2):
                    time.sleep(0.02)  # in which the loader makes a batch
                    yield batch
            for epoch in batchscope.epochs(2):
                for batch in batchscope.batches(loader()):
                    batchscope.step()
                    time.sleep(0.01)  # in which the script logs
                for batch in batchscope.batches([1], validate=True):
                    time.sleep(0.05)
        """)
        seconds, data = self.series("step_time"), self.series("data_time")
        for step in (2, 4):
            self.assertGreaterEqual(data[step], 0.03)
        for step in (1, 3):  # an epoch's first
            self.assertEqual(data[step], 0)
        for step in seconds:
            self.assertGreaterEqual(seconds[step], data[step])

    def test_what_does_not_come_with_every_step_is_told_too(self):
        self.run_script("""
            import batchscope
            for step in range(4):
                if step == 2:
                    batchscope.record(accuracy=0.5)
                batchscope.step(loss=step)
            batchscope.record(accuracy=0.75)
        """)
        self.assertEqual(self.series("loss"), {1: 0, 2: 1, 3: 2, 4: 3})
        self.assertEqual(self.series("accuracy"), {3: 0.5, 4: 0.75})

    def test_the_script_may_count_its_steps_itself(self):
        self.run_script("""
            import batchscope
            batchscope.restored(100, "mine.pt")
            batchscope.step(loss=1)
            batchscope.step(200, loss=2)
            batchscope.step(loss=3)
        """)
        self.assertEqual(self.series("loss"), {101: 1, 200: 2, 201: 3})
        restored, = self.told("restored")
        self.assertEqual((restored["step"], restored["checkpoint"]), (100, "mine.pt"))

    def test_epochs_and_how_far_they_are(self):
        self.run_script("""
            import batchscope, time
            for epoch in batchscope.epochs(3, first=1):
                for batch in batchscope.batches(range(4)):
                    batchscope.step(loss=batch)
                for batch in batchscope.batches(range(2), validate=True):
                    time.sleep(0.1)
                batchscope.record(accuracy=epoch)
        """)
        marks = [(mark["epoch"], mark["begin"], mark["step"]) for mark in self.told("epoch")]
        self.assertEqual(marks, [(1, True, 0), (1, False, 4), (2, True, 4), (2, False, 8)])
        self.assertEqual(list(self.series("epoch").values()), [1, 1.25, 1.5, 1.75, 2, 2.25, 2.5, 2.75])
        self.assertEqual(self.series("accuracy"), {4: 1, 8: 2})
        place = self.told("position")[-1]
        self.assertEqual((place["epoch"], place["epochs"], place["loop"], place["fraction"]), (2, 3, "validate", 0.5))

    def test_hello_comes_first_and_promises_no_more_than_is_kept(self):
        self.run_script("""
            import batchscope
            batchscope.hyperparameters({"lr": 0.1}, name="small")
            batchscope.notice("the data are old", "warning")
            batchscope.record(loss=1)
        """)
        hello = json.loads(self.lines[0])
        self.assertEqual((hello["type"], hello["rank"], hello["generation"], hello["device"]), ("hello", 0, 3, ""))
        self.assertFalse(hello["heartbeats"] or hello["checkpoints"])
        self.assertEqual(self.told("hyperparameters")[0]["values"], {"lr": "0.1", "name": "small"})
        self.assertEqual(self.told("notice")[0]["text"], "the data are old")

    def test_numbers_that_json_does_not_know(self):
        self.run_script("""
            import batchscope
            for loss in ("nan", "inf", "-inf"):
                batchscope.step(loss=float(loss))
        """)
        self.assertEqual(list(self.series("loss").values()), ["nan", "inf", "-inf"])

    def test_what_is_no_number_is_refused_by_name_with_a_supervisor_and_without(self):
        for supervised in (True, False):
            printed = self.run_script("""
                import batchscope
                for value in (None, "much", [1, 2]):
                    try:
                        batchscope.record(loss=value)
                    except TypeError as error:
                        print(error)
                try:
                    batchscope.notice("hm", "loud")
                except ValueError as error:
                    print(error)
            """, supervised=supervised)
            self.assertEqual(printed.count(" is not a number; for a tensor of several numbers, record the mean"), 3)
            self.assertIn("'loud' is not one of info, warning, error", printed)

    def test_whole_numbers_may_be_of_any_library_and_paths_be_paths(self):
        self.run_script("""
            import batchscope
            import pathlib
            class Whole:  # as NumPy's and a tensor's
                def __init__(self, value): self.value = value
                def __index__(self): return self.value
            batchscope.restored(Whole(6), pathlib.Path("mine.pt"))
            for _ in batchscope.epochs(Whole(1)):
                for _ in batchscope.batches([0]):
                    batchscope.step(Whole(7), loss=1)
        """)
        self.assertEqual(self.series("loss"), {7: 1.0})

    def test_what_is_no_whole_number_or_comes_without_a_name_is_refused(self):
        printed = self.run_script("""
            import argparse
            import batchscope
            for call in (lambda: batchscope.step(1.5), lambda: batchscope.restored("x"), lambda: list(batchscope.epochs("3")),
                         lambda: batchscope.record(loss=10**400), lambda: batchscope.record(0.7),
                         lambda: batchscope.hyperparameters(argparse.Namespace(lr=1))):
                try:
                    call()
                except TypeError as error:
                    print(error)
        """)
        self.assertEqual([line.split(":")[0] for line in printed.splitlines()],
                         ["step()", "restored()", "epochs()", "loss", "record()", "hyperparameters()"])

    def test_a_gpu_is_read_by_the_thread_that_sends(self):
        printed = self.run_script("""
            import batchscope, threading
            class Scalar:
                is_cuda = True
                def __init__(self, value): self.value = value
                def detach(self): return self
                def clone(self): return Scalar(self.value)
                def __add__(self, other): return Scalar(self.value + other.value)
                def __truediv__(self, count): return Scalar(self.value / count)
                def __float__(self):
                    print(threading.current_thread() is threading.main_thread())
                    return self.value
            batchscope.step(loss=Scalar(1.0))
            loss = Scalar(2.0)
            batchscope.record(loss=loss)
            loss.value = 100.0
            batchscope.step(loss=Scalar(4.0))
        """)
        self.assertEqual(self.series("loss"), {1: 1, 2: 3})
        self.assertNotIn("True", printed)


class Nobody(Supervised):
    def test_without_a_supervisor_nothing_is_kept(self):
        printed = self.run_script("""
            import batchscope, threading
            batchscope.follow_tensorboard()
            for epoch in batchscope.epochs(2):
                for batch in batchscope.batches([1, 2]):
                    batchscope.record(loss=1)
                    batchscope.step()
            batchscope.restored(3), batchscope.hyperparameters(lr=1), batchscope.notice("done")
            print(batchscope.supervised(), threading.active_count())
        """, supervised=False)
        self.assertEqual(printed, "False 1\n")

    def test_of_several_replicas_rank_0_tells(self):
        self.run_script("""
            import batchscope
            batchscope.restored(7)
            batchscope.step(loss=1)
            batchscope.notice("here too")
        """, rank=1)
        self.assertEqual([json.loads(line)["type"] for line in self.lines], ["hello", "restored", "notice"])
        self.assertEqual(self.told("hello")[0]["rank"], 1)

    def test_a_supervisor_that_does_not_read_holds_nobody_up(self):
        steps = 60_000
        self.reads.clear()
        process = self.start(f"""
            import batchscope
            for step in range({steps}):
                batchscope.step(loss=step)
            print("recorded", flush=True)
        """)
        self.assertEqual(process.stdout.readline(), "recorded\n")
        self.reads.set()
        process.communicate()
        for reader in self.readers:
            reader.join()
        losses = self.series("loss")
        self.assertTrue(losses and all(step == loss + 1 for step, loss in losses.items()))
        self.assertLess(len(losses), steps)
        self.assertGreater(self.told("steps")[-1]["dropped"], 0)

    def test_a_supervisor_that_dies_or_is_not_there_ends_no_script(self):
        process = self.start("""
            import batchscope, sys
            batchscope.step(loss=1)
            print("begun", flush=True)
            sys.stdin.readline()
            for step in range(1000):
                batchscope.step(loss=1)
        """)
        self.assertEqual(process.stdout.readline(), "begun\n")
        while not self.connections:
            time.sleep(0.01)
        self.hang_up()
        printed, _ = process.communicate("go on\n")
        self.assertEqual((process.returncode, printed), (0, ""))
        printed = self.run_script("import batchscope; batchscope.step(loss=1)", BATCHSCOPE_TELEMETRY_SOCKET="/nowhere")
        self.assertIn("cannot reach the supervisor, nothing is recorded", printed)


class Processes(Supervised):
    def test_a_process_that_was_forked_from_the_one_that_speaks_is_silent(self):
        self.run_script("""
            import batchscope, os
            batchscope.step(loss=1)
            child = os.fork()
            batchscope.step(loss=2 if child else 100)
            if child:
                os.waitpid(child, 0)
                batchscope.step(loss=3)
        """)
        self.assertEqual(self.series("loss"), {1: 1, 2: 2, 3: 3})
        self.assertEqual(len(self.told("hello")), 1)

    def test_of_several_processes_the_first_that_has_something_to_tell_speaks(self):
        for method in ("fork", "spawn"):
            self.lines.clear()
            self.run_script(f"""
                import batchscope, multiprocessing
                def train(barrier):
                    batchscope.step(loss=1)
                    barrier.wait()
                if __name__ == "__main__":
                    context = multiprocessing.get_context("{method}")
                    barrier = context.Barrier(2)
                    both = [context.Process(target=train, args=(barrier,)) for _ in range(2)]
                    [one.start() for one in both], [one.join() for one in both]
            """)
            self.assertEqual(len(self.told("hello")), 1, method)
            self.assertEqual(self.series("loss"), {1: 1}, method)


if __name__ == "__main__":
    unittest.main()
