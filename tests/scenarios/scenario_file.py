# SPDX-License-Identifier: Apache-2.0
"""Reads a scenario (README.md beside this file): which steps there are and what may stand behind each. All of a file is
read before its first step is carried out, so that a slip in the last line does not cost a run."""

import re
import shlex
import signal
import typing
import warnings

LONGEST_LINE = 2000
PROCESS = r"(?:started|pool|sweep|(?:supervisor|replica \d{1,3})(?: of [\w-]+)?|fork server)"
PLACE = r"(?:checkpoints|run|memory|store)"


class Failure(Exception):
    pass


class Skipped(Exception):
    """A scenario needs something that is not on this machine."""


class Step(typing.NamedTuple):
    number: int  # of its line, from 1
    line: str
    verb: str
    rest: str


def command(text):
    try:
        words = shlex.split(text)
    except ValueError as error:
        return f"the quotes are wrong: {error}"
    return None if words else "a program is missing behind this"


def command_with_code(text):
    code, _, rest = text.partition(" ")
    return command(rest) if re.fullmatch(r"\d{1,3}", code) else "say: fails CODE PROGRAM ARGS"


def condition(text):
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")  # such as a comparison by `is` with a number
            compile(text, "the condition", "eval")
    except (SyntaxError, SyntaxWarning, ValueError, MemoryError, RecursionError) as error:
        return f"the condition is wrong: {getattr(error, 'msg', None) or error or 'it is nested too deeply'}"
    return None


def awaited(text):
    if text == "output":
        return "say: wait output TEXT"
    return None if text.startswith("output ") else condition(text)


def signalled(text):
    found = re.fullmatch(rf"([A-Z0-9]+) {PROCESS}(?: \d{{1,4}} times)?", text, re.ASCII)
    if not found:
        return "say: signal NAME PROCESS [N times]"
    return None if f"SIG{found[1]}" in signal.Signals.__members__ else f"there is no signal {found[1]}"


def form(pattern, saying):
    return lambda text: None if re.fullmatch(pattern, text, re.ASCII) else f"say: {saying}"


def text(what):
    return lambda rest: None if rest else f"{what} is missing behind this"


# Verb -> what is wrong with what stands behind it, or None.
FORMS = {
    "needs": command, "start": command, "do": command, "fails": command_with_code, "says": text("a text"), "output": text("a text"),
    "set": form(r"[A-Za-z_]\w*(?: .*)?", "set NAME VALUE"), "wait": awaited, "check": condition,
    "exits": form(r"-?\d{1,3}", "exits CODE"), "interrupt": form("", "interrupt, and nothing behind it"),
    "terminate": form("", "terminate, and nothing behind it"), "kill": form(rf"all|{PROCESS}", "kill all, or kill PROCESS"),
    "signal": signalled, "lose": form("memory", "lose memory"),
    "damage": form(r"(?:newest|all) (?:truncated|flipped|missing|unloadable|newer)(?: [\w.-]+)?",
                   "damage newest|all truncated|flipped|missing|unloadable|newer [FILE]"),
    "remove": form(rf"newest|{PLACE}", "remove newest, or remove PLACE"),
    "lock": form("catalogue", "lock catalogue"), "unlock": form("catalogue", "unlock catalogue"),
    "fault": form(rf"(?:ENOSPC|EDQUOT|EFBIG|EIO|EROFS|SLOW|BADREAD) {PLACE}", "fault ERROR PLACE"),
    "mend": form("", "mend, and nothing behind it"), "clock": form(r"-?\d{1,9}", "clock SECONDS"),
    "samples": form(r"exact(?: in each)?(?: but for crashes)?", "samples exact [in each] [but for crashes]")}


def complaint(line):
    """Returns what is wrong with a line, or None."""
    if len(line) > LONGEST_LINE:
        return f"it is longer than {LONGEST_LINE} characters"
    if strange := next((c for c in line if not c.isprintable()), None):
        return f"it holds the character U+{ord(strange):04X}"
    verb, _, rest = line.partition(" ")
    if verb not in FORMS:
        return f"there is no step \"{verb}\"; README.md beside the scenarios has them"
    return FORMS[verb](rest)


def read(content, name):
    """The steps of a file's bytes. Throws Failure("NAME:LINE: ..")."""
    try:
        lines = content.decode().split("\n")
    except UnicodeDecodeError as error:
        raise Failure(f"{name}:{content.count(10, 0, error.start) + 1}: it is not UTF-8") from None
    steps = []
    for number, line in enumerate(map(str.strip, lines), 1):
        if not line or line.startswith("#"):
            continue
        if wrong := complaint(line):
            raise Failure(f"{name}:{number}: {line[:80]!r}: {wrong}")
        verb, _, rest = line.partition(" ")
        steps.append(Step(number, line, verb, rest))
    return steps
