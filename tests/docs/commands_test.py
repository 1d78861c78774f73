#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""commands_test.py PROGRAMS: carries out the command blocks of app/START.md in their order, in a store of their own.

A comment before a block says where it is treated otherwise: `<!-- tested: in the background -->` starts a run that the next blocks
act on, and `<!-- not tested: REASON -->` leaves the block out. Every other block must succeed as it stands."""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
BLOCK = re.compile(r"(?:<!-- (not tested: [^\n]+|tested: in the background) -->\n)?```sh\n(.*?)^```", re.M | re.S)
PATIENCE = 600  # s, on a machine that has much else to do


class Page:
    def __init__(self, programs, home):
        self.home, self.running = home, []
        self.environment = dict(os.environ, PATH=f"{programs}:{os.environ['PATH']}", HOME=home, BATCHSCOPE_DB=f"{home}/runs.db",
                                XDG_DATA_HOME=home, XDG_STATE_HOME=home, OMP_WAIT_POLICY="passive")

    def start(self, commands):
        return subprocess.Popen(["bash", "-euo", "pipefail", "-c", commands], cwd=self.home, env=self.environment,
                                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)

    def carry_out(self, commands):
        finish(self.start(commands), commands)

    def ask(self, *words):
        answer = subprocess.run(["batchscope", *words, "--json"], cwd=self.home, env=self.environment, capture_output=True, text=True)
        return json.loads(answer.stdout) if answer.returncode == 0 else None

    def start_training(self, commands):
        self.running.append((self.start(commands), commands))
        deadline = time.monotonic() + PATIENCE
        while not ((seen := self.ask("show", "latest")) and seen["run"]["state"] == "running" and seen["run"]["step"]):
            if time.monotonic() > deadline or self.running[-1][0].poll() is not None:
                sys.exit(f"no run trains after:\n{commands}")
            time.sleep(0.2)

    def finish_training(self):
        while self.running:
            finish(*self.running.pop())

    def runs(self):
        return (self.ask("ls") or {"runs": []})["runs"]

    def leave(self):
        for run in self.runs():
            subprocess.run(["batchscope", "cancel", run["id"]], cwd=self.home, env=self.environment, capture_output=True)
        deadline = time.monotonic() + 60
        while any(run["supervisor"] for run in self.runs()) and time.monotonic() < deadline:
            time.sleep(0.2)


def finish(process, commands):
    out, _ = process.communicate(timeout=PATIENCE)
    print(f"{commands}{out}", flush=True)
    if process.returncode != 0:
        sys.exit(f"exit code {process.returncode} of the block above")


def main():
    programs = pathlib.Path(sys.argv[1]).resolve()
    blocks = BLOCK.findall((ROOT / "app/START.md").read_text(encoding="utf-8"))
    tested = [block for block in blocks if not block[0].startswith("not tested")]
    if len(tested) < 5:
        sys.exit(f"app/START.md has {len(tested)} blocks to carry out, and had more")
    with tempfile.TemporaryDirectory(prefix="bs-") as home:
        page = Page(programs, home)
        try:
            for how, commands in tested:
                if how:
                    page.start_training(commands)
                else:
                    if "rescale" not in commands:
                        page.finish_training()
                    page.carry_out(commands)
        finally:
            page.leave()
            for process, _ in page.running:
                process.kill()


if __name__ == "__main__":
    main()
