#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Comments a stranger understands at first reading: counts two habits that stop a reader.

A fragment is a comment whose first word only continues a name ("Of the run's devices", "What a read leaves"): a comment is
a sentence, or a noun phrase that stands alone. A negated noun is "is no number" where English says "is not a number". A few
good sentences begin with such a word ("With one replica there are no buckets"), so that a count is held rather than none
allowed. `prose.py [ROOT]` prints each place as FILE:LINE: TEXT, then the counts, and exits with 1 above a limit.
"""
import pathlib
import re
import sys

MOST_FRAGMENTS = 35
MOST_NEGATED_NOUNS = 60

FOLDERS = ("app", "cmake", "engine", "examples", "resources", "storage", "tests", "tools")
SCRIPTS = ("dev", ".ci/run")
SLASHES = re.compile(r"\s*//[/!]?<?\s*(.*)")
SLASHES_AND_STARS = re.compile(r"\s*(?://|/?\*+(?:\s|$))\s*(.*)")
HASHES = re.compile(r"\s*#+(?!!)\s*(.*)")
MARKS = {".cpp": SLASHES, ".h": SLASHES, ".ts": SLASHES_AND_STARS, ".mjs": SLASHES_AND_STARS,
         ".py": HASHES, ".sh": HASHES, ".cmake": HASHES, "": HASHES, ".txt": HASHES}
DOCSTRING = re.compile(r'\s*"""\s*(.*)')

FRAGMENT = re.compile(r"(Of|Those|That|Whose|Whoever|Whom|Its|Which|By|With|From|What|Who)\b")
COMPARED = "better|earlier|faster|fewer|greater|larger|later|less|longer|more|slower|smaller|worse"
NEGATED_NOUN = re.compile(rf"(?<!here )\b(is|are) no (?!({COMPARED})\b)|\bhas no [\w' -]*\bthat\b")


def beginnings(file, lines):
    """(line, text) of the first words of each comment and docstring; a licence is not a comment."""
    mark, within = MARKS[pathlib.Path(file).suffix], False
    for number, line in enumerate(lines, 1):
        match = mark.match(line)
        if match and "SPDX-License" not in line:
            if match[1] and not within:
                yield number, match[1]
            within = within or bool(match[1])
        else:
            within = False
            if file.endswith(".py") and (match := DOCSTRING.match(line)) and match[1]:
                yield number, match[1]


def sources(root):
    """The files whose prose is counted, as paths relative to the root."""
    found = [path for folder in FOLDERS for path in (root / folder).rglob("*") if "node_modules" not in path.parts]
    found = [path for path in found if path.suffix and path.suffix in MARKS and (path.suffix != ".txt" or path.name == "CMakeLists.txt")]
    found += [root / name for name in ("CMakeLists.txt", *SCRIPTS)]
    return sorted(path.relative_to(root).as_posix() for path in found if path.is_file())


def check(root):
    """The fragments and the negated nouns below the root, two lists of FILE:LINE: TEXT."""
    root, fragments, negated = pathlib.Path(root), [], []
    for file in sources(root):
        lines = (root / file).read_text(encoding="utf-8").splitlines()
        fragments += [f"{file}:{number}: {text}" for number, text in beginnings(file, lines) if FRAGMENT.match(text)]
        negated += [f"{file}:{number}: {line.strip()}" for number, line in enumerate(lines, 1) if NEGATED_NOUN.search(line)]
    return fragments, negated


def main():
    fragments, negated = check(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parents[2])
    print("\n".join(fragments + negated))
    print(f"{len(fragments)} comments begin with a fragment (at most {MOST_FRAGMENTS}), "
          f"{len(negated)} lines negate a noun (at most {MOST_NEGATED_NOUNS})")
    return 1 if len(fragments) > MOST_FRAGMENTS or len(negated) > MOST_NEGATED_NOUNS else 0


if __name__ == "__main__":
    sys.exit(main())
