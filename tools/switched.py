# SPDX-License-Identifier: Apache-2.0
"""Puts many changes of a C++ source file into one text, of which a program chooses one, or none, when it starts.

To compile and link a program takes far longer than to run its tests. Therefore all changes go into one program: "mutant schemata" (R. H.
Untch, A. J. Offutt, M. J. Harrold, "Mutation analysis using mutant schemata", ISSTA 1993). The environment variable BATCHSCOPE_MUTANT has
the number of the change. A function begins with a choice among the changed copies of its body,

  switch (chosen_mutant) { case 7: return [&]() -> int { changed body }(); default: break; }

and a constant of the file becomes a choice among values. The file is not parsed: clang-format puts the braces of a function where they are
looked for here. A change that has no such place, such as one of a class's member, is left out, and so are functions that are constexpr.
Each copy lies in a file `mutant_7` for the compiler, whose errors thereby name the changes that cannot be compiled.
"""

import re
from typing import NamedTuple

from mutations import masked

VARIABLE = "BATCHSCOPE_MUTANT"
CHOICE = f"""#include <cstdlib>
static const int chosen_mutant = std::getenv("{VARIABLE}") ? std::atoi(std::getenv("{VARIABLE}")) : 0;"""
# A line that begins no function, though it may have a bracket.
NO_FUNCTION = re.compile(r"\s*(#|//|\}|(namespace|class|struct|enum|union|using|template|constexpr|static_assert|static constexpr|public"
                         r"|private|int main|return|if|else|for|while|switch|do|try|case)\b)")  # fmt: skip
HEADER = re.compile(r"\s*(?:(?:\[\[\w+\]\]|static|inline|explicit|virtual|friend) )*(?P<type>[\w:<>,*& ]*?)\s*(?:[\w:<>]+::)?"
                    r"(?:operator[^\s\w(]+|operator\(\)|~?\w+)\(")  # fmt: skip
CONSTANT = re.compile(r"(?:static |inline )*constexpr ([\w:<>, ]+) (\w+) = ([^;=]+);")
NAMED = re.compile(r"\bmutant_(\d+(?:_\d+)*):\d+:\d+: (?!warning)")


class Function(NamedTuple):
    """The lines of a function, or of a constant, from 0: its first, the one with its body's opening brace, and its last."""

    first: int
    opening: int
    last: int


def function_at(code, first):
    """Returns the function that begins in a line of masked code, or None."""
    indentation = re.match(" *", code[first])[0]
    if len(indentation) not in (0, 2) or NO_FUNCTION.match(code[first]) or not HEADER.match(code[first]):
        return None
    ends = (line for line in range(first, len(code)) if code[line].rstrip().endswith(("{", "}", ";")) or not code[line].strip())
    opening = next(ends, first)
    if code[opening].rstrip().endswith("{"):
        last = next((line for line in range(opening + 1, len(code)) if code[line].rstrip() == indentation + "}"), None)
        return None if last is None else Function(first, opening, last)
    return Function(first, first, first) if opening == first and code[first].rstrip().endswith("}") else None


def functions(code):
    """Returns the functions of a file, but for those within a function."""
    found, line = [], 0
    while line < len(code):
        function = function_at(code, line)
        found += [function] if function else []
        line = function.last + 1 if function else line + 1
    return found


def body_at(text):
    """Returns the position of the brace that opens the body of a function in one line of masked code."""
    depth = 0
    for place in range(len(text) - 1, -1, -1):
        depth += {"}": 1, "{": -1}.get(text[place], 0)
        if depth == 0 and text[place] == "{":
            return place
    return len(text)


def changed_body(lines, code, function, change):
    """Returns the body of a function with a change, in its braces; None if the change is not within the body."""
    line, changed = change.line - 1, change.applied("\n".join(lines)).split("\n")
    if function.first == function.last:
        place = body_at(code[line].rstrip())
        return changed[line][place:] if changed[line][:place] == lines[line][:place] else None
    within = function.opening < line < function.last
    return "{\n" + "\n".join(changed[function.opening + 1 : function.last]) + "\n}" if within else None


def with_copies(lines, code, function, changes):
    """Returns a function's lines with copies of its body, as one text, and the numbers of the changes that are in."""
    result = HEADER.match(code[function.first])["type"] or "void"  # void is also for constructors
    bodies = {number: changed_body(lines, code, function, change) for number, change in changes.items()}
    bodies = {number: body for number, body in bodies.items() if body}
    begins, ends = ("", " return;") if result == "void" else ("return ", "")
    cases = "".join(f'#line 1 "mutant_{number}"\ncase {number}: {{ {begins}[&]() -> {result} {body}();{ends} }}\n'
                    for number, body in bodies.items())  # fmt: skip
    opening = lines[function.opening]
    place = body_at(code[function.opening].rstrip()) + 1 if function.first == function.last else len(opening)
    switch = f'\nswitch (chosen_mutant) {{\n{cases}#line {function.opening + 1} "original"\ndefault: break; }}\n'
    whole = [*lines[function.first : function.opening], opening[:place] + switch + opening[place:]]
    return "\n".join(whole + lines[function.opening + 1 : function.last + 1]), set(bodies)


def with_values(line, changes):
    """Returns the line of a constant with a choice of its value, and the numbers of the changes that are in."""
    original = CONSTANT.match(line)
    values = {number: value[3] for number, change in changes.items() if (value := CONSTANT.match(change.after))}
    choices = "".join(f"chosen_mutant == {number} ? ({value}) : " for number, value in values.items())
    name = f'#line 1 "mutant_{"_".join(map(str, values))}"\n'
    return f'{name}static const {original[1]} {original[2]} = {choices}({original[3]});\n#line 1 "original"', set(values)


def switched(text, changes):
    """Returns the text with all changes, by their numbers, that have a place in it, and the set of these numbers."""
    lines, code = text.split("\n"), masked(text).split("\n")
    constants = [Function(line, line, line) for line, each in enumerate(code) if CONSTANT.match(each)]
    result, numbers = list(lines), set()
    for part in functions(code) + constants:
        own = {number: change for number, change in changes.items() if part.first < change.line <= part.last + 1}
        if own:
            new, within = with_values(lines[part.first], own) if part in constants else with_copies(lines, code, part, own)
            result[part.first : part.last + 1] = [new] + [None] * (part.last - part.first)
            numbers |= within
    return "\n".join([CHOICE, *(line for line in result if line is not None)]), numbers
