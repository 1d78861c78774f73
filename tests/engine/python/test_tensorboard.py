#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A script's writes to TensorBoard are recorded where it asks for that, at the steps that it names, and are written all the
same. The writer is a stand-in for tensorboardX's."""

import unittest

from supervisor import Supervised

WRITER = """
written = []

class SummaryWriter:
    def add_scalar(self, tag, scalar_value, global_step=None, walltime=None):
        written.append((tag, scalar_value, global_step))

    def add_scalars(self, main_tag, tag_scalar_dict, global_step=None, walltime=None):
        written.append((main_tag, tag_scalar_dict, global_step))
"""


class FollowTensorboard(Supervised):
    def setUp(self):
        super().setUp()
        folder = self.home / "tensorboardX"
        folder.mkdir()
        (folder / "writer.py").write_text(WRITER)
        (folder / "__init__.py").write_text("from .writer import SummaryWriter")

    def follow(self, script):
        return self.run_script(f"import batchscope\nbatchscope.follow_tensorboard()\nfrom tensorboardX import SummaryWriter\n"
                               f"writer = SummaryWriter()\n{script}", self.home)

    def test_the_steps_are_those_of_the_writer(self):
        self.follow("for step in range(0, 50, 10): writer.add_scalar('learning rate', step, step)")
        self.assertEqual(self.series("learning rate"), {0: 0, 10: 10, 20: 20, 30: 30, 40: 40})
        self.assertEqual(self.series("mono").keys(), {10, 20, 30, 40})

    def test_tags_of_a_step_are_one_row(self):
        self.follow("for step in (1, 2):\n  writer.add_scalar('a', step, step)\n  writer.add_scalars('b', {'c': 3, 'd': 4}, step)")
        self.assertEqual(len(self.told("scalar")), 0)
        self.assertEqual((self.series("a"), self.series("b/c"), self.series("b/d")), ({1: 1, 2: 2}, {1: 3, 2: 3}, {1: 4, 2: 4}))

    def test_what_counts_epochs_stands_at_the_newest_step(self):
        self.follow("for step in range(1, 9):\n  writer.add_scalar('a', step, step)\n"
                    "  if step % 4 == 0: writer.add_scalar('b', step, step // 4)")
        self.assertEqual(self.series("a"), {step: step for step in range(1, 9)})
        self.assertEqual(self.series("b"), {4: 4, 8: 8})

    def test_what_comes_again_at_the_newest_step_stands_at_its_own(self):
        self.follow("for tag in 'ab':\n  for step in (1, 2, 3, 4): writer.add_scalar(tag, step, step)")
        self.assertEqual(self.series("a"), {1: 1, 2: 2, 3: 3, 4: 4})
        self.assertEqual([self.series("b")[step] for step in (2, 3)], [2, 3])

    def test_a_script_that_counts_its_steps_counts_these_too(self):
        self.follow("for step in (1, 2):\n  writer.add_scalar('a', step, 100 * step)\n  batchscope.step(b=step)")
        self.assertEqual(self.series("b"), {1: 1, 2: 2})
        self.assertEqual(self.series("a")[2], 2)

    def test_loss_and_accuracy_take_the_names_that_charts_know(self):
        for tag, series in {"Loss/train": "loss", "train_loss": "loss", "loss": "loss", "Test/Loss": "validation_loss",
                            "val_acc": "accuracy", "accuracy": "accuracy", "train/accuracy": "train/accuracy",
                            "loss/box/train": "loss/box/train"}.items():
            self.lines.clear()
            self.follow(f"writer.add_scalar({tag!r}, 7, 1)")
            self.assertEqual(self.series(series), {1: 7}, tag)

    def test_two_tags_that_mean_the_same_stay_apart(self):
        self.follow("writer.add_scalar('val/loss', 1, 1); writer.add_scalar('test/loss', 2, 1)")
        self.assertEqual((self.series("validation_loss"), self.series("test/loss")), ({1: 1}, {1: 2}))

    def test_it_is_written_all_the_same_and_only_numbers_are_recorded(self):
        printed = self.follow("writer.add_scalar('a', 1)\nwriter.add_scalar('a', 'blob', 1)\nwriter.add_scalar('a', 2, 'last')\n"
                              "from tensorboardX.writer import written\nprint(written)")
        self.assertEqual(printed, "[('a', 1, None), ('a', 'blob', 1), ('a', 2, 'last')]\n")
        self.assertEqual(self.series("a"), {1: 1})

    def test_a_writer_that_was_imported_before_is_followed_and_one_that_nobody_asked_for_is_not(self):
        self.run_script("from tensorboardX import SummaryWriter\nimport batchscope\nSummaryWriter().add_scalar('a', 1, 1)\n"
                        "batchscope.follow_tensorboard()\nSummaryWriter().add_scalar('b', 1, 1)", self.home)
        self.assertEqual((self.series("a"), self.series("b")), ({}, {1: 1}))


if __name__ == "__main__":
    unittest.main()
