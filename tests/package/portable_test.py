#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""The archive of a build (tools/portable.py), unpacked into a folder whose name has a blank: every file finds its libraries in it, or
where every desktop has them; it trains the example that needs no LibTorch and a script, and the window draws them. Packed again, it is
the same bytes.

    portable_test.py BUILD FOLDER      FOLDER is made anew
"""
import hashlib
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD, FOLDER = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
SCRIPT = """
import batchscope
for epoch in batchscope.epochs(2):
    for step in range(20):
        batchscope.step(loss=1 / (step + 1), batch_size=8)
"""


class Portable(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        shutil.rmtree(FOLDER, ignore_errors=True)
        FOLDER.mkdir()
        cls.archive = pathlib.Path(cls.make(FOLDER / "made").strip())
        place = FOLDER / "a place"
        place.mkdir()
        subprocess.run(["tar", "--extract", "--file", cls.archive, "--directory", place], check=True)
        cls.unpacked, = place.iterdir()
        cls.environment = {"HOME": str(FOLDER / "home"), "PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8", "QT_QPA_PLATFORM": "offscreen"}

    @staticmethod
    def make(folder):
        environment = {**os.environ, "SOURCE_DATE_EPOCH": "1700000000", "XZ_OPT": "-0"}
        return subprocess.run([sys.executable, ROOT / "tools/portable.py", BUILD, folder], env=environment, stdout=subprocess.PIPE, text=True,
                              check=True).stdout

    def ask(self, *words):
        done = subprocess.run(words, cwd=FOLDER, env=self.environment, capture_output=True, text=True, check=False)
        self.assertEqual(0, done.returncode, done.stdout + done.stderr)
        return done.stdout

    def test_qt_is_its_own(self):
        files = [path for path in self.unpacked.rglob("*") if path.is_file() and not path.is_symlink() and path.read_bytes()[:4] == b"\x7fELF"]
        self.assertIn("libqxcb.so", [file.name for file in files])
        for file in files:
            libraries = self.ask("ldd", file)
            for name, place in re.findall(r"(libQt\S+|libicu\S+|libsqlite\S+|libfmt\S+|libxcb-icccm\S+) => (.+) \(0x", libraries):
                self.assertTrue(place.startswith(f"{self.unpacked}/"), f"{file} takes {name} from {place}")
            self.assertNotRegex(libraries, "libtorch|libQt6WaylandCompositor")

    def test_it_trains_and_draws(self):
        command = self.unpacked / "batchscope"
        (FOLDER / "train.py").write_text(SCRIPT, encoding="utf-8")
        self.ask(command, "run", "--headless", "train.py")
        self.assertEqual("finished", json.loads(self.ask(command, "show", "latest", "--json"))["run"]["state"])
        self.ask(command, "run", "--headless", "--replicas", "2", "least_squares", "--", "--epochs", "2")
        shown = json.loads(self.ask(command, "show", "latest", "--json"))
        self.assertEqual(["finished", 2], [shown["run"]["state"], shown["generations"][0]["replicas"]])
        picture = FOLDER / "window.png"
        self.ask(self.unpacked / "batchscope-desktop", "--run", "latest", "--grab", picture)
        self.assertGreater(picture.stat().st_size, 20_000)

    def test_another_is_the_same(self):
        another = pathlib.Path(self.make(FOLDER / "again").strip())
        self.assertEqual(*(hashlib.sha256(archive.read_bytes()).hexdigest() for archive in (self.archive, another)))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
