#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Everything that COVERAGE.md names is there. Each row of its tables is a feature, where it is here, and its tests. In
backticks behind the first bar stand tests (`train.loop SLOT SLOT`, in the last column), commands with their options
(`batchscope ls --sort`), paths (which named_files_test.py looks for), and names: of variables of the environment, and of
what public headers declare. A row that is neither missing nor left out names a test, or says that one is missing. Each row
of the differences from AdaptDL and FairScale in the two PORTING.md names one, too."""
import pathlib
import re
import unittest

ROOT = pathlib.Path(__file__).parents[2]
TEST = re.compile(r"([a-z]+)\.(\w+)((?: \w+)*)")
PATH = re.compile(r"\w+/[\w./-]+")


def read(*patterns):
    return "\n".join(path.read_text(encoding="utf-8") for pattern in patterns for path in sorted(ROOT.glob(pattern)))


def rows(path="COVERAGE.md", section=""):
    """The cells of each row under headings that begin so, with its place; not of tables' heads."""
    heads, wanted = 0, True
    for number, line in enumerate((ROOT / path).read_text(encoding="utf-8").splitlines(), 1):
        if line.startswith("## "):
            wanted = line.startswith("## " + section)
        if not line.startswith("|"):
            heads = 2
        elif heads:
            heads -= 1
        elif wanted:
            yield f"{path}:{number}", [cell.strip() for cell in line.strip("|").split("|")]


def quoted(cell):
    return re.findall("`([^`]+)`", cell)


def registered():
    """The tests that CMake registers, and the folder of the source of those that have one of their own."""
    tests = {f"scenario.{path.stem}": None for path in ROOT.glob("tests/scenarios/*.scenario")}
    for lists in ROOT.glob("tests/**/CMakeLists.txt"):
        text = re.sub(r"#.*", "", lists.read_text(encoding="utf-8"))
        lists_of = dict(re.findall(r"\bset\((\w+)\s+([^()]*)\)", text))
        text = re.sub(r"\$\{(\w+)\}", lambda found: lists_of.get(found[1], found[0]), text)
        for found in re.finditer(r"add_test\(NAME (\S+)\s", text):
            each = re.search(r"\$\{(\w+)\}", found[1])
            items = re.findall(rf"foreach\({each[1]} ([^()]*)\)", text[: found.start()])[-1:] if each else []
            names = [found[1].replace(each[0], item) for item in " ".join(items).split()] if each else [found[1]]
            tests.update(dict.fromkeys(names))
        for room, arguments in re.findall(r"batchscope_tests\((\w+)\s([^()]*)\)", text):
            for names in re.findall(r"\b(?:FAST|FULL)\s((?:\s*[a-z]\w*)*)", arguments):
                tests.update((f"{room}.{name}", lists.parent) for name in names.split())
    return tests


class Coverage(unittest.TestCase):
    def setUp(self):
        self.faults = []

    def tearDown(self):
        self.assertFalse(self.faults, "\n" + "\n".join(self.faults))

    def require(self, fine, place, what):
        if not fine:
            self.faults.append(f"{place}: {what}")

    def test_every_row_says_where_and_names_a_test(self):
        found = list(rows())
        for place, cells in found:
            self.require(len(cells) == 3 and all(cells), place, "a row has three cells: feature, here, test")
            outside = cells[1].startswith(("missing", "left out: "))
            here = cells[2].startswith("missing") or quoted(cells[2])
            self.require(cells[2] == "-" if outside else here, place, "a test is named; `-` where nothing is here")
        self.assertGreater(len(found), 100)

    def test_every_test_is_there(self):
        tests, named = registered(), 0
        for place, cells in rows():
            for text in quoted("|".join(cells[1:])):
                if TEST.fullmatch(text):
                    self.require_test(text, tests, place)
                    named += 1
                else:
                    self.require(text not in quoted(cells[-1]), place, f"{text} is not a test")
        self.assertGreater(named, 100)

    def require_test(self, text, tests, place):
        room, name, slots = TEST.fullmatch(text).groups()
        test = f"{room}.{name}"
        self.require(test in tests, place, f"there is no test {test}")
        source = tests.get(test) and tests[test] / f"test_{name}.cpp"
        for slot in slots.split():
            there = source and re.search(rf"\bvoid {slot}\(\)", source.read_text(encoding="utf-8"))
            self.require(there, place, f"{test} has no {slot}")

    def test_every_difference_has_a_reason_and_a_test(self):
        tests, files = registered(), ("engine/train/PORTING.md", "engine/python/PORTING.md")
        found = [row for file in files for row in rows(file, "Where ")]
        for place, cells in found:
            self.require(len(cells) == 4 and all(cells), place, "a row has four cells: theirs, ours, why, test")
            self.require(quoted(cells[-1]), place, "no test is named")
            for text in quoted(cells[-1]):
                self.require(TEST.fullmatch(text), place, f"{text} is not a test")
                if TEST.fullmatch(text):
                    self.require_test(text, tests, place)
        self.assertGreater(len(found), 40)

    def test_every_command_and_name_is_there(self):
        commands = set(re.findall(r'\((?:set,\s*)?"([\w-]+)",\s*(?:(?:say\()?"[A-Z]|help::k\w+About)', read("app/cli/command_line/*.cpp")))
        options = set(re.findall(r'"(?:-\w,)?(--[\w-]+)', read("app/cli/**/*.cpp", "app/cli/**/*.h")))
        names = set(re.findall(r"\w+", read("engine/*/include/**/*.h")))
        self.assertGreater(len(commands), 30)
        for place, cells in rows():
            for text in quoted(cells[1]):
                words = text.split()
                if words[0] == "batchscope":
                    self.require(words[1] in commands, place, f"batchscope has no command {words[1]}")
                    for option in words[2:]:
                        self.require(option in options, place, f"batchscope {words[1]} has no option {option}")
                elif not TEST.fullmatch(text) and not PATH.fullmatch(text):
                    for name in re.findall(r"\w+", text):
                        self.require(name in names, place, f"no public header knows {name}")


if __name__ == "__main__":
    unittest.main()
