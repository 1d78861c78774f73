#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""commands_test.py PROGRAMS: carries out the command blocks of the site's documents in their order, those of a document in a store
of its own. The documents are those of tools/site/mkdocs.yml, a command block is marked `sh`.

A comment before a block says where it is treated otherwise: `<!-- tested: in the background -->` starts a run that the next blocks
act on, and `<!-- not tested: REASON -->` leaves the block out. Every other block must succeed as it stands. The commands of all
blocks, and those in the text, are first compared with --help (command_words.py)."""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time

from command_words import Programs

ROOT = pathlib.Path(__file__).resolve().parents[2]
BLOCK = re.compile(r"(?:<!-- (not tested: [^\n]+|tested: in the background) -->\n)?```sh\n(.*?)^```$", re.M | re.S)
FENCED = re.compile(r"^ *```.*?^ *```$", re.M | re.S)
IN_TEXT = re.compile(r"`(batchscope[ -][^`]*)`")
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


def documents():
    names = re.findall(r"[\w/-]+\.md$", (ROOT / "tools/site/mkdocs.yml").read_text(encoding="utf-8"), re.M)
    return {name: (ROOT / name).read_text(encoding="utf-8") for name in names if not name.startswith("reference/")}


def faults(programs, name, text):
    """Returns what is wrong with the command blocks of a document before any is carried out."""
    if len(BLOCK.findall(text)) != len(re.findall(r"^ *```\s*(?:sh|bash|shell|console)\b", text, re.M)):
        yield f"{name}: a command block is marked sh and begins its line"
    for commands in [*(block[1] for block in BLOCK.findall(text)), *IN_TEXT.findall(FENCED.sub("", text))]:
        yield from (f"{name}: {fault}:\n  {commands}" for fault in programs.faults(commands))


def carry_out(programs, blocks):
    with tempfile.TemporaryDirectory(prefix="bs-") as home:
        page = Page(programs, home)
        try:
            for how, commands in blocks:
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


def main():
    folder = pathlib.Path(sys.argv[1]).resolve()
    texts, programs = documents(), Programs(folder)
    if wrong := [fault for name, text in texts.items() for fault in faults(programs, name, text)]:
        sys.exit("\n".join(wrong))
    if programs.checked < 200:
        sys.exit(f"the documents name {programs.checked} commands, and named more")
    tested = {name: [block for block in BLOCK.findall(text) if not block[0].startswith("not tested")] for name, text in texts.items()}
    if sum(map(len, tested.values())) < 7:
        sys.exit("the documents have fewer blocks to carry out than they had")
    for name, blocks in tested.items():
        if blocks:
            print(f"{name}:", flush=True)
            carry_out(folder, blocks)


if __name__ == "__main__":
    main()
