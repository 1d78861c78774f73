#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What tools/mutations.py changes in a line of C++, and what it leaves alone."""

import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "tools"))
from mutations import masked, mutations  # noqa: E402


def of(text):
    return [mutation.after for mutation in mutations(text)]


class Mutations(unittest.TestCase):
    def test_operators_change_one_at_a_time(self):
        self.assertEqual(of("return a + b * c;"), ["return a - b * c;", "return a + b / c;"])
        self.assertEqual(of("return a <= b && c;"), ["return a < b && c;", "return a <= b || c;"])

    def test_templates_references_and_pointers_are_not_operators(self):
        for line in ("std::vector<int> values;", "void take(Value&& value);", "const Value* value = other;", "template <class T>"):
            self.assertEqual(of(line), [], line)

    def test_whole_numbers_are_off_by_one_and_others_twice_as_large(self):
        self.assertEqual(of("return at(4);"), ["return at(5);"])
        self.assertEqual(of("return 0.5;"), ["return (2 * 0.5);"])
        self.assertEqual(of("return 1e-3;"), ["return (2 * 1e-3);"])
        self.assertEqual(of("return kMost10 + x1;"), ["return kMost10 - x1;"])

    def test_names_of_opposite_meaning_change(self):
        self.assertEqual(of("return std::min(a, b);"), ["return std::max(a, b);"])
        self.assertEqual(of("return values.front();"), ["return values.back();"])
        self.assertEqual(of("return false;"), ["return true;"])

    def test_a_condition_is_negated(self):
        self.assertEqual(of("if (ready(a)) return;"), ["if (!(ready(a))) return;"])
        self.assertEqual(of("if constexpr (kReady) return;"), [])
        self.assertEqual(of("if (const auto found = find(a); found) return;"), [])

    def test_a_statement_is_dropped_where_it_declares_nothing(self):
        self.assertEqual(of("  sum.add(value);"), [";"])
        self.assertEqual(of("  count = other;"), [";"])
        self.assertEqual(of("  const int count = other;"), [])
        self.assertEqual(of("  return count;"), [])

    def test_half_a_statement_is_not_dropped(self):
        self.assertEqual(of("const int most =\n    largest(values);"), [])

    def test_texts_and_comments_are_left_alone(self):
        self.assertEqual(of('say("a + b", 1);  // 2 < 3'), ['say("a + b", 2);  // 2 < 3', ";"])
        self.assertEqual(of("/* a + b\n   c + d */"), [])
        self.assertEqual(of('R"(1 + 2\n3 + 4)"'), [])
        self.assertEqual(masked("f('\"', 10'000, \"x\")"), "f(   , 10'000,    )")

    def test_a_change_is_made_in_its_line(self):
        text = "int f() {\n  return a + b;\n}\n"
        self.assertEqual([each.applied(text) for each in mutations(text)], ["int f() {\n  return a - b;\n}\n"])


if __name__ == "__main__":
    unittest.main()
