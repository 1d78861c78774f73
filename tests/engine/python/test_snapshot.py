# SPDX-License-Identifier: Apache-2.0
"""The snapshots that an unchanged script writes by torch.save are noted, and one that it loads after a restart lets its steps go on behind
those that the snapshot had."""
import json
import unittest

from supervisor import PACKAGE, Supervised

HOOK = PACKAGE / "hook"
SCRIPT = """
import io, os, pathlib
import torch
import batchscope

{begin}
for step in range(3):
    batchscope.record(loss=step)
{end}
"""


class Snapshots(Supervised):
    def run_torch(self, begin="", end="", **more):
        share = self.home / "share"
        share.mkdir(exist_ok=True)
        self.run_script(SCRIPT.format(begin=begin, end=end), HOOK, ADAPTDL_SHARE_PATH=str(share), OPENBLAS_NUM_THREADS="1", **more)
        note = share / "batchscope-snapshot.json"
        return json.loads(note.read_text()) if note.exists() else None

    def test_the_newest_is_noted_with_its_step(self):
        """A script that never calls step() is in its third step when it saves."""
        cases = (("torch.save([1], io.BytesIO())", None), ("torch.save([1], 'a.pt'); torch.save([2], f='b.pt')", "b.pt"),
                 ("torch.save([1], pathlib.Path('c.pt'))", "c.pt"), ("with open('d.pt', 'wb') as file: torch.save([1], file)", "d.pt"),
                 ("torch.save([1], 'new'); os.replace('new', 'e.pt')", "e.pt"),
                 ("torch.save([1], 'new'); os.rename('new', 'f.pt'); os.rename('a.pt', 'g.pt')", "f.pt"))
        keep = "\nif os.path.exists('share/batchscope-snapshot.json'): os.link('share/batchscope-snapshot.json', 'noted{}')\n"
        self.run_torch(end="".join(end + keep.format(number) for number, (end, _) in enumerate(cases)))
        for number, (end, name) in enumerate(cases):
            with self.subTest(end):
                noted = self.home / f"noted{number}"
                self.assertEqual(json.loads(noted.read_text()) if noted.exists() else None,
                                 name and {"path": str(self.home / name), "step": 3})

    def test_of_other_ranks_and_without_a_supervisor_none_is(self):
        self.assertIsNone(self.run_torch(end="torch.save([1], 'a.pt')", rank=1))
        self.assertIsNone(self.run_torch(end="torch.save([1], 'a.pt')", supervised=False))

    def test_a_script_that_loads_it_goes_on_behind_its_steps(self):
        note = self.run_torch(end="torch.save([1], 'last.pt'); torch.save([2], 'other.pt'); os.replace('last.pt', 'a.pt')")
        self.assertEqual(note["path"], str(self.home / "other.pt"))
        self.lines.clear()
        self.run_torch(begin="torch.load('a.pt'); torch.load('other.pt')", end="torch.load('other.pt')")
        self.assertEqual([(told["step"], told["checkpoint"]) for told in self.told("restored")], [(3, "other.pt")])
        self.assertEqual(self.series("loss"), {4: 0, 5: 1, 6: 2})


if __name__ == "__main__":
    unittest.main()
