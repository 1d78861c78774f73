# SPDX-License-Identifier: Apache-2.0
"""Checks the commands of a document against the programs, without carrying them out: the program is there, --help of `batchscope` lists
each subcommand, and the subcommand's --help lists each option. So blocks that need a cluster or an hour do not grow old unseen."""
import functools
import os
import pathlib
import re
import shlex
import shutil
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[2]
ENDS = re.compile(r"[;|&()<>]+")
IN_TREE = re.compile(r"(?:\./dev|(?:tests|examples|tools)/.*)")


def commands(text):
    """Yields the words of each command of a shell text, by operators and lines; a comment ends a line."""
    for line in text.replace("\\\n", " ").splitlines():
        words = []
        lexer = shlex.shlex(line, posix=True, punctuation_chars=True)
        lexer.whitespace_split = True
        for word in [*lexer, ";"]:
            if not ENDS.fullmatch(word):
                words.append(word)
            elif words:
                yield words
                words = []


class Programs:
    def __init__(self, folder):
        self.folder, self.checked = folder, 0

    @functools.lru_cache(maxsize=None)
    def help(self, *path):
        asked = subprocess.run([self.folder / path[0], *path[1:], "--help"], capture_output=True, text=True,
                               env=dict(os.environ, QT_QPA_PLATFORM="offscreen"))
        # Without a command of that name the program prints the help of what stands before it.
        return asked.stdout if re.search(rf"^Usage: {' '.join(path)}( |$)", asked.stdout, re.M) else None

    def lists(self, path, word):
        return re.search(rf"^  (?:-\w,)?{re.escape(word)}(?![\w-])", self.help(*path) or "", re.M)

    def faults(self, text):
        """Returns what is wrong with the commands of a shell text, one sentence each."""
        return [fault for words in commands(text) for fault in self.faults_of(words)]

    def faults_of(self, words):
        while words and (re.match(r"\w+=", words[0]) or words[0] in ("do", "then", "exec", "source", "done")):
            words = words[1:]
        if not words:
            return
        if IN_TREE.fullmatch(words[0]) and not (ROOT / words[0]).exists():
            yield f"the tree has no {words[0]}"
        name = words[0].removeprefix("./")
        if not re.fullmatch(r"batchscope(-\w+)?", name):
            return
        self.checked += 1
        if not (self.folder / name).exists() and not shutil.which(name):
            yield f"there is no program {name}"
        elif name == "batchscope":
            yield from self.faults_of_batchscope(words[1:])

    def faults_of_batchscope(self, words):
        path = ["batchscope"]
        while words and re.fullmatch(r"[a-z][a-z-]*", words[0]) and (len(path) == 1 or self.has_commands(path)):
            if self.help(*path, words[0]) is None:
                yield f"`{' '.join(path)}` has no command {words[0]}"
                return
            path, words = [*path, words[0]], words[1:]
        inner = "--" in words and path[1:] == ["slurm-job"]
        own, further = (words[:words.index("--")], words[words.index("--") + 1:]) if "--" in words else (words, [])
        for option in (word.split("=")[0] for word in own if re.match(r"--[a-z]|-[a-z]$", word)):
            if option not in ("-h", "--help") and not self.lists(path, option):
                yield f"`{' '.join(path)} --help` does not list {option}"
        if inner:
            yield from self.faults_of_batchscope(further)

    def has_commands(self, path):
        return re.search(r"^Commands:$", self.help(*path) or "", re.M)
