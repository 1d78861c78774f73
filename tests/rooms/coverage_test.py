#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What COVERAGE.md names is there. Each row of its tables is a feature, where it is here, and its tests. In backticks behind
the first bar stand tests (`train.loop SLOT SLOT`, in the last column), commands with their options (`batchscope ls --sort`),
paths (which named_files_test.py looks for), and names: of variables of the environment, and of what public headers declare.
A row that is neither missing nor left out names a test, or says that one is missing. So does each row of the differences
from AdaptDL in PORTING.md."""
import pathlib
import re
import unittest

ROOT = pathlib.Path(__file__).parents[2]
TEST = re.compile(r"([a-z]+)\.(\w+)((?: \w+)*)")
PATH = re.compile(r"\w+/[\w./-]+")


def read(*patterns):
    return "\n".join(path.read_text(encoding="utf-8") for pattern in patterns for path in sorted(ROOT.glob(pattern)))


def rows():
    """The cells of each row, with the number of its line; not of tables' heads."""
    heads = 0
    for number, line in enumerate((ROOT / "COVERAGE.md").read_text(encoding="utf-8").splitlines(), 1):
        if not line.startswith("|"):
            heads = 2
        elif heads:
            heads -= 1
        else:
            yield number, [cell.strip() for cell in line.strip("|").split("|")]


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

    def require(self, fine, number, what):
        if not fine:
            self.faults.append(f"COVERAGE.md:{number}: {what}")

    def test_every_row_says_where_and_names_a_test(self):
        found = list(rows())
        for number, cells in found:
            self.require(len(cells) == 3 and all(cells), number, "a row has three cells: feature, here, test")
            outside = cells[1].startswith(("missing", "left out: "))
            here = cells[2].startswith("missing") or quoted(cells[2])
            self.require(cells[2] == "-" if outside else here, number, "a test is named; `-` where nothing is here")
        self.assertGreater(len(found), 100)

    def test_every_test_is_there(self):
        tests, named = registered(), 0
        for number, cells in rows():
            for text in quoted("|".join(cells[1:])):
                match = TEST.fullmatch(text)
                if not match:
                    self.require(text not in quoted(cells[-1]), number, f"{text} is no test")
                    continue
                named += 1
                test = f"{match[1]}.{match[2]}"
                self.require(test in tests, number, f"there is no test {test}")
                source = tests.get(test) and tests[test] / f"test_{match[2]}.cpp"
                for slot in match[3].split():
                    there = source and re.search(rf"\bvoid {slot}\(\)", source.read_text(encoding="utf-8"))
                    self.require(there, number, f"{test} has no {slot}")
        self.assertGreater(named, 100)

    def test_every_difference_from_adaptdl_has_a_test(self):
        text = (ROOT / "engine/train/PORTING.md").read_text(encoding="utf-8")
        section = re.search(r"## Where numbers.*?\n(.*?)\n## ", text, re.DOTALL)[1]
        table = [line for line in section.splitlines() if line.startswith("|")][2:]
        tests = registered()
        for line in table:
            cells = line.strip("|").split("|")
            if len(cells) != 4 or not all(test in tests for test in quoted(cells[3])) or not quoted(cells[3]):
                self.faults.append(f"PORTING.md: no such test, or other than four cells: {line}")
        self.assertGreater(len(table), 10)

    def test_every_command_and_name_is_there(self):
        commands = set(re.findall(r'\((?:set,\s*)?"([\w-]+)",\s*"[A-Z]', read("app/cli/command_line/*.cpp")))
        options = set(re.findall(r'"(?:-\w,)?(--[\w-]+)', read("app/cli/**/*.cpp", "app/cli/**/*.h")))
        names = set(re.findall(r"\w+", read("engine/*/include/**/*.h")))
        self.assertGreater(len(commands), 30)
        for number, cells in rows():
            for text in quoted(cells[1]):
                words = text.split()
                if words[0] == "batchscope":
                    self.require(words[1] in commands, number, f"batchscope has no command {words[1]}")
                    for option in words[2:]:
                        self.require(option in options, number, f"batchscope {words[1]} has no option {option}")
                elif not TEST.fullmatch(text) and not PATH.fullmatch(text):
                    for name in re.findall(r"\w+", text):
                        self.require(name in names, number, f"no public header knows {name}")


if __name__ == "__main__":
    unittest.main()
