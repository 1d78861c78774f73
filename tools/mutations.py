# SPDX-License-Identifier: Apache-2.0
"""Finds the places of a C++ source file that can be changed slightly, and the result of each change.

A mutation is a fault such as people make: another operator, another bound, a wrong constant, an inverted condition, a missing
statement. It changes one place of one line, so that a test that notices it covers that place. Comments, texts and preprocessor lines
are left alone. The file is read line by line and not parsed. This relies on the project's clang-format, which puts spaces around a
binary operator and none around the `<` of a template.
"""

import re
from typing import NamedTuple


class Mutation(NamedTuple):
    line: int  # from 1
    before: str  # the line, without its indentation
    after: str

    def applied(self, text):
        """Returns the file's text with the change."""
        lines = text.split("\n")
        old = lines[self.line - 1]
        indentation = old[: len(old) - len(old.lstrip())]
        lines[self.line - 1] = indentation + self.after
        return "\n".join(lines)


SWAPS = {
    " + ": " - ", " - ": " + ", " * ": " / ", " / ": " * ", " += ": " -= ", " -= ": " += ", " *= ": " /= ", " /= ": " *= ",
    " < ": " <= ", " <= ": " < ", " > ": " >= ", " >= ": " > ", " == ": " != ", " != ": " == ", " && ": " || ", " || ": " && ",
}  # fmt: skip
NAMES = {
    "min": "max", "max": "min", "floor": "ceil", "ceil": "floor", "lower_bound": "upper_bound", "upper_bound": "lower_bound",
    "any_of": "all_of", "all_of": "any_of", "min_element": "max_element", "max_element": "min_element", "true": "false",
    "false": "true", "front": "back", "back": "front",
}  # fmt: skip
NAME = re.compile(r"(?<![\w.])(?:std::(?:ranges::)?)?(" + "|".join(NAMES) + r")\b(?=\(|[;,) ])|(?<=\.)(front|back)(?=\(\))")
NUMBER = re.compile(r"(?<![\w.'])(\d+\.\d*(?:e[-+]?\d+)?|\d+(?:e[-+]?\d+)|\d+)(?![\w.'])")
CONDITION = re.compile(r"(?:^|\s)if \((?!constexpr)")
# A call or an assignment that is a whole statement and declares nothing.
STATEMENT = re.compile(r"[A-Za-z_][\w:.>\-\[\]]*(?:\(.*\)| [-+*/|&]?= .*|\+\+|--);|\+\+[\w.\->]+;|continue;")
NOT_STATEMENTS = re.compile(r"(return|using|throw|delete|static_assert|case|default|goto|co_\w+)\b")
LEFT_ALONE = re.compile(r"\s*(#|using |namespace |template |static_assert|friend |\[\[|case |enum )")


def masked(text):
    """Returns the text with a space for each character of comments and string literals, with its line breaks."""
    pattern = re.compile(
        r'//[^\n]*|/\*.*?\*/|R"(?P<mark>[^(\s]*)\(.*?\)(?P=mark)"|"(?:\\.|[^"\\\n])*"|(?<![0-9A-Fa-f])\'(?:\\.|[^\'\\\n])+\'', re.S)
    return pattern.sub(lambda found: re.sub(r"[^\n]", " ", found[0]), text)


def closing(code, opening):
    """Returns the position of the bracket that closes the one at `opening`; None if it is in another line."""
    depth = 0
    for place in range(opening, len(code)):
        depth += {"(": 1, ")": -1}.get(code[place], 0)
        if depth == 0:
            return place
    return None


def replaced(line, start, end, text):
    return line[:start] + text + line[end:]


def doubled(number):
    """Returns a whole number plus one, any other number doubled."""
    if number.isdigit():
        return str(int(number) + 1)
    return f"(2 * {number})"


def changes(line, code):
    """Yields the line after each possible change; `code` is its masked form."""
    for old, new in SWAPS.items():
        for found in re.finditer(re.escape(old), code):
            yield replaced(line, found.start(), found.end(), new)
    for found in NAME.finditer(code):
        group = 1 if found[1] else 2
        yield replaced(line, found.start(group), found.end(group), NAMES[found[group]])
    for found in NUMBER.finditer(code):
        yield replaced(line, found.start(), found.end(), doubled(found[1]))
    for found in CONDITION.finditer(code):
        end = closing(code, found.end() - 1)
        if end is not None and ";" not in code[found.end() : end]:
            yield replaced(line, found.end(), end, f"!({line[found.end():end]})")


def is_statement(code, before):
    """Returns whether a line is a whole statement that can be removed; `before` is the line of code before it."""
    stripped = code.strip()
    begins = not before or before.rstrip().endswith((";", "{", "}", ")", "else", ":"))
    whole = STATEMENT.fullmatch(stripped) and stripped.count("(") == stripped.count(")")
    return bool(begins and whole and not NOT_STATEMENTS.match(stripped))


def mutations(text):
    """Returns all mutations of a file, in order. None changes a line that LEFT_ALONE matches."""
    before = ""
    found = []
    for number, (line, code) in enumerate(zip(text.split("\n"), masked(text).split("\n"), strict=True), 1):
        if not code.strip() or LEFT_ALONE.match(code):
            before = code if code.strip() else before
            continue
        found += [Mutation(number, line.strip(), after.strip()) for after in changes(line, code)]
        if is_statement(code, before):
            found.append(Mutation(number, line.strip(), ";"))
        before = code
    return found
