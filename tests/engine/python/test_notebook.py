# SPDX-License-Identifier: Apache-2.0
"""Runs in a notebook: charts that stand alone, a run that is started, watched and rescaled from cells, which a real kernel executes."""
import html
import importlib.util
import json
import math
import os
import re
import shutil
import subprocess
import sys
import unittest
import unittest.mock
import xml.etree.ElementTree as xml

import batchscope
import numpy as np
from batchscope import _charts, _program
from batchscope.store import Series, StoreError
from programs import WithPrograms

TRAIN = """
import sys, time
import batchscope
for step in range(1, int(sys.argv[1])):
    batchscope.step(step, loss=1 / step, mine=step, batch_size=8)
    time.sleep(0.01)
"""

CELLS = """
import batchscope
run = batchscope.start("train.py", 100000, name="from a cell", options=["--tag=notebook"])
---
view = batchscope.show(run, every=0.2)
---
import time
def until(holds):
    while not holds(run.refresh()):
        time.sleep(0.2)
    return run.refresh()
run = until(lambda run: run.step > 20)
run.rescale(2)
run = until(lambda run: run.replicas == 2 and run.restarts == 1 and 1 in run.series("loss").generations)
---
batchscope.show("from a cell", "mine").stop()
---
run.stop()
view.wait(60).state
---
run.refresh()
"""


class Charts(unittest.TestCase):
    def chart(self, steps, values, generations=None):
        generations = np.zeros(len(steps), np.int32) if generations is None else np.array(generations)
        text = _charts._chart("a<b", Series(np.array(steps), np.array(values, float), generations), "#123456")
        svg = xml.fromstring(text)  # which is well-formed
        points = [[tuple(map(float, point.split(","))) for point in line.get("points").split()] for line in svg.iter()
                  if line.tag.endswith("polyline")]
        return points, [one.text for one in svg.iter() if one.tag.endswith("text")], svg

    def test_a_series_from_its_first_step_to_its_last(self):
        (points,), texts, _ = self.chart([1, 2, 3], [3, 1, 2])
        self.assertEqual(texts, ["a<b", "2", "3", "1", "1", "step 3"])
        self.assertEqual([x for x, _ in points], sorted(x for x, _ in points))
        self.assertEqual(points[0][1], min(y for _, y in points))  # the largest value is on top
        self.assertEqual(points[1][1], max(y for _, y in points))

    def test_a_long_one_keeps_its_spikes_in_few_points(self):
        values = np.zeros(100_000)
        values[77_777] = 5
        (points,), texts, _ = self.chart(np.arange(1, 100_001), values)
        self.assertLessEqual(len(points), 300)
        self.assertEqual(texts[2], "5")
        self.assertEqual(sum(y == min(y for _, y in points) for _, y in points), 1)

    def test_generations_and_what_is_not_finite_break_the_line(self):
        points, _, svg = self.chart([1, 2, 3, 2, 3, 4, 5], [1, 2, 3, 2, math.nan, 4, math.inf], [0, 0, 0, 1, 1, 1, 1])
        self.assertEqual([len(piece) for piece in points], [3, 2, 2])  # a lone point is drawn as a line to itself
        self.assertEqual([one.text for one in svg.iter() if one.tag.endswith("title")], ["a<b", "restart"])

    def test_constants_and_nothing_at_all_have_charts(self):
        self.assertEqual(self.chart([1, 2], [0, 0])[1][2:4], ["0.5", "-0.5"])
        self.assertEqual(self.chart([1], [math.nan])[0], [])
        self.assertEqual(self.chart([], [])[0], [])


MEASURE = """<script>
const lines = [...document.querySelectorAll("polyline")].map((line) => line.getBoundingClientRect());
const charts = [...document.querySelectorAll("svg")].map((chart) => chart.getBoundingClientRect());
document.title = JSON.stringify({ lines: lines.map((box) => [box.width, box.height]),
  inside: lines.every((line) => charts.some((chart) => line.left >= chart.left && line.right <= chart.right
    && line.top >= chart.top && line.bottom <= chart.bottom)) });
</script>"""


class Cells(WithPrograms):
    def setUp(self):
        super().setUp()
        (self.home / "train.py").write_text(TRAIN)

    @unittest.skipUnless(all(map(importlib.util.find_spec, ("nbformat", "nbclient", "ipykernel"))),
                         "python3-nbclient and python3-ipykernel are missing")
    def test_start_show_rescale_and_stop(self):
        import nbclient
        import nbformat
        notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell.strip()) for cell in CELLS.split("---")])
        self.addCleanup(subprocess.run, [_program.find(), "stop", "latest"], capture_output=True, check=False)
        nbclient.NotebookClient(notebook, timeout=200, kernel_name="python3", resources={"metadata": {"path": str(self.home)}}).execute()
        live, other, state, last = (notebook.cells[index].outputs for index in (1, 3, 4, 5))
        shown = live[0]["data"]["text/html"]
        self.assertIn("<b>from a cell</b>", shown)
        self.assertIn("1 restart", shown)  # it was drawn anew after its cell had ended
        self.assertIn(">loss</text>", shown)
        self.assertNotIn(">mine</text>", shown)
        self.assertIn(">mine</text>", other[0]["data"]["text/html"])
        self.assertEqual(state[0]["data"]["text/plain"], "'stopped'")
        self.assertIn("restart</title>", last[0]["data"]["text/html"])
        self.assertEqual(list(batchscope.runs()[0].tags), ["notebook"])
        self.look_at(shown)

    def look_at(self, shown):
        """A browser lays out what the cell holds: each curve has an extent, and lies within its chart."""
        browser = shutil.which("chromium")
        if not browser:
            self.skipTest("chromium is not installed")
        page = self.home / "cell.html"
        page.write_text(f"<!doctype html><meta charset=utf-8>{shown}{MEASURE}")
        done = subprocess.run([browser, "--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={self.home / 'browser'}", "--dump-dom",
                               page.as_uri()], capture_output=True, text=True, timeout=120, check=True)
        seen = json.loads(html.unescape(re.search("<title>(.*?)</title>", done.stdout)[1]))
        self.assertTrue(seen["lines"] and seen["inside"], seen)
        for width, height in seen["lines"]:
            self.assertGreater(width + height, 0)

    def test_mistakes_are_told_with_the_remedy(self):
        self.program("run", "--headless", "train.py", "--", "3")
        run, = batchscope.runs()
        for error, text, call in ((StoreError, "no program .nowhere", lambda: batchscope.start("nowhere")),
                                  (ValueError, "--replicas", lambda: batchscope.start("train.py", replicas="many")),
                                  (StoreError, "finished", lambda: run.rescale(2)),
                                  (StoreError, "no run|matches no", lambda: batchscope.show("nothing")),
                                  (StoreError, "has no series 'x'", lambda: _charts.of(run, ["x"]))):
            with self.subTest(text), self.assertRaisesRegex(error, text):
                call()
        with unittest.mock.patch.dict(sys.modules, {"IPython.display": None}):
            with self.assertRaisesRegex(RuntimeError, "has no IPython: start the script in Jupyter"):
                batchscope.show(run)


if __name__ == "__main__":
    unittest.main()
