#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The changes that tools/switched.py puts into one program: which it takes, and that each does there what it does alone."""

import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "tools"))
from mutations import mutations  # noqa: E402
from switched import NAMED, VARIABLE, switched  # noqa: E402

SHAPES = """
#include <array>
#include <cstdio>
#include <string>

constexpr int kStep = 3;  // of a constant
constexpr int kSize = 1;
std::array<int, kSize> sizes;

namespace {

class Sum {
 public:
  explicit Sum(int start) : total_(start) { total_ += 10; }
  int total() const { return total_; }
  void add(const std::string& text,
           int value) {
    if (!text.empty()) {
      total_ = total_ + value;
    }
  }
  const Sum& self() const {
    return *this;
  }

 private:
  int total_ = 100;
};

template <class T>
T least(T a, T b) {
  return a < b ? a : b;
}

int sum() {
  Sum sum(0);
  sum.add("a", kStep);
  return sum.self().total() + least(1000, 2000);
}

}  // namespace

int main() { std::printf("%d", sum()); }
"""
# The result of the program with each change, and without one.
RESULTS = {
    "": "1013", "constexpr int kStep = 4;  // of a constant": "1014", "explicit Sum(int start) : total_(start) { total_ -= 10; }": "993",
    "explicit Sum(int start) : total_(start) { total_ += 11; }": "1014", "if (!(!text.empty())) {": "1010",
    "total_ = total_ - value;": "1007", ";": "1010", "return a <= b ? a : b;": "1013", "Sum sum(1);": "1014",
    "return sum.self().total() - least(1000, 2000);": "-987",
    "return sum.self().total() + least(1001, 2000);": "1014", "return sum.self().total() + least(1000, 2001);": "1013",
}  # fmt: skip


def compiled(text, folder):
    """Compiles a program, and returns the compiler's errors."""
    source = pathlib.Path(folder, "program.cpp")
    source.write_text(text, encoding="utf-8")
    return subprocess.run(["g++", "-std=c++20", "-Wall", "-o", pathlib.Path(folder, "program"), source], capture_output=True, text=True,
                          check=False, env={**os.environ, "LC_ALL": "C"}).stderr  # fmt: skip


def result(folder, number):
    environment = {**os.environ, VARIABLE: str(number)}
    return subprocess.run([pathlib.Path(folder, "program")], capture_output=True, text=True, check=True, env=environment).stdout


class Switched(unittest.TestCase):
    def test_a_program_does_what_its_chosen_change_does(self):
        changes = {number: change for number, change in enumerate(mutations(SHAPES), 1) if "kSize" not in change.before}
        text, within = switched(SHAPES, changes)
        left_out = [change.after for number, change in changes.items() if number not in within]
        self.assertEqual(left_out, ["int total_ = 101;"])
        with tempfile.TemporaryDirectory() as folder:
            compiled(text, folder)
            self.assertEqual(result(folder, 0), RESULTS[""])
            for number in within:
                self.assertEqual(result(folder, number), RESULTS[changes[number].after], changes[number])

    def test_the_compiler_names_changes_that_it_rejects(self):
        changes = {number: change for number, change in enumerate(mutations(SHAPES), 1)}
        text, within = switched(SHAPES, changes)
        size = [number for number, change in changes.items() if "kSize" in change.before]
        self.assertLessEqual(set(size), within)
        with tempfile.TemporaryDirectory() as folder:
            self.assertEqual({int(number) for number in NAMED.findall(compiled(text, folder))}, set(size))

    def test_what_has_no_place_is_left_out(self):
        for text in ("struct A {\n  int a = 1;\n};", "constexpr int f() { return 1; }", "const auto kF = [](int a) {\n  return a + 1;\n};",
                     "A::A()\n    : a_(1) {\n}", "int f(int a = 1) { return a; }"):  # fmt: skip
            changes = dict(enumerate(mutations(text)))
            self.assertTrue(changes, text)
            self.assertEqual(switched(text, changes)[1], set(), text)


if __name__ == "__main__":
    unittest.main()
