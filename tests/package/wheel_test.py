#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""The wheel of a build, installed by pip without network into an environment that holds nothing else: the command records, shows and
serves a script that has no PyTorch, and every file finds its libraries inside the wheel or where every Linux has them.

    wheel_test.py BUILD FOLDER      FOLDER is made anew
"""
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import textwrap
import unittest
import urllib.request

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD, FOLDER = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
ON_EVERY_LINUX = re.compile(r"(linux-vdso|ld-linux.*|lib(c|m|dl|rt|pthread|resolv|stdc\+\+|gcc_s|z))\.so.*")
SCRIPT = """
    import sys
    import batchscope
    for epoch in batchscope.epochs(2):
        for step in range(20):
            batchscope.step(loss=1 / (step + 1), batch_size=8)
    print("by", sys.executable, "with", batchscope.__file__)
"""


class Wheel(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        shutil.rmtree(FOLDER, ignore_errors=True)
        subprocess.run([sys.executable, ROOT / "tools/wheel.py", BUILD, FOLDER], check=True)
        cls.wheel, = FOLDER.glob("*.whl")
        cls.venv, cls.home = FOLDER / "venv", FOLDER / "home"
        cls.home.mkdir()
        subprocess.run([sys.executable, "-m", "venv", cls.venv], check=True)
        subprocess.run([cls.venv / "bin/pip", "install", "--quiet", "--no-index", cls.wheel], check=True)
        cls.package, = cls.venv.glob("lib/python3*/site-packages/batchscope")
        (FOLDER / "train.py").write_text(textwrap.dedent(SCRIPT))
        cls.environment = {"HOME": str(cls.home), "PATH": f"{cls.venv}/bin:/usr/bin:/bin", "LC_ALL": "C.UTF-8"}

    def ask(self, *words, status=0, **environment):
        done = subprocess.run(words, cwd=FOLDER, env={**self.environment, **environment}, capture_output=True, text=True, check=False)
        self.assertEqual(status, done.returncode, done.stdout + done.stderr)
        return done.stdout + done.stderr

    def test_it_is_small(self):
        self.assertLess(self.wheel.stat().st_size, 15_000_000)

    def test_every_file_finds_its_libraries(self):
        files = [path for path in sorted(self.package.rglob("*")) if path.is_file() and path.read_bytes()[:4] == b"\x7fELF"]
        self.assertGreater(len(files), 15)
        strange = []
        for file in files:
            if file.name.startswith("_engine."):  # which finds PyTorch's in the process
                continue
            for name, place in re.findall(r"^\s+(\S+)(?: => (.*?))?(?: \(0x\w+\))?$", self.ask("ldd", str(file)), re.M):
                if not place.startswith(f"{self.package}/") and not ON_EVERY_LINUX.fullmatch(pathlib.Path(name).name):
                    strange.append(f"{file.name} needs {name}: {place}")
        self.assertFalse(strange, "\n".join(strange))

    def test_a_script_is_recorded_by_the_environments_interpreter(self):
        self.assertRegex(self.ask("batchscope", "--version"), r"batchscope \d+\.\d+\.\d+")
        self.ask("batchscope", "run", "--headless", "train.py")
        self.assertIn("finished", self.ask("batchscope", "show", "latest"))
        shown = json.loads(self.ask("batchscope", "show", "latest", "--json"))
        self.assertEqual(0.05, shown["run"]["latest"]["loss"])
        self.assertIn(f"by {self.venv}/bin/python", self.ask("batchscope", "logs", "latest"))
        self.assertIn("[0.05]", self.ask("python3", "-c", "import batchscope; print([batchscope.runs()[0].latest['loss']])"))

    def test_another_interpreter_has_the_package_too(self):
        self.ask("batchscope", "run", "--headless", "train.py", PYTHON="/usr/bin/python3")
        self.assertIn(f"by /usr/bin/python3 with {self.package}/", self.ask("batchscope", "logs", "latest"))

    def test_the_page_is_served(self):
        server = subprocess.Popen(["batchscope", "serve", "--port", "0", "--json"], env={**os.environ, **self.environment},
                                  stdout=subprocess.PIPE, text=True)
        try:
            address = json.loads(server.stdout.readline())["url"]
            browser = urllib.request.build_opener(urllib.request.HTTPCookieProcessor())
            self.assertIn("<title>BatchScope", browser.open(address).read().decode())
        finally:
            server.send_signal(signal.SIGINT)
            server.communicate()

    def test_another_pytorch_is_named(self):
        if not list(self.package.glob("_engine.*.so")):
            self.skipTest("the build has no batchscope.torch")
        self.assertIn("needs PyTorch", self.ask("python3", "-c", "import batchscope.torch", status=1))
        (FOLDER / "other").mkdir()
        (FOLDER / "other/torch.py").write_text("__version__ = '2.6.0+cpu'")
        said = self.ask("python3", "-c", "import batchscope.torch", status=1, PYTHONPATH=str(FOLDER / "other"))
        self.assertRegex(said, r"ImportError: the engine .* was built for Python 3\.\d+ with PyTorch \d\.\d+, and .* with PyTorch 2\.6\.0")
        self.assertIn("./dev wheel --python", said)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
