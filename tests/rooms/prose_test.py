#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The tree's comments keep below the limits of prose.py, which sees each form of the two habits."""
import pathlib
import tempfile
import unittest

import prose


class Tree(unittest.TestCase):
    def test_comments_are_sentences(self):
        fragments, negated = prose.check(pathlib.Path(__file__).parents[2])
        self.assertLessEqual(len(fragments), prose.MOST_FRAGMENTS, "begin these with their subject or verb:\n" + "\n".join(fragments))
        self.assertLessEqual(len(negated), prose.MOST_NEGATED_NOUNS, "write \"is not a\" in these:\n" + "\n".join(negated))


class Checker(unittest.TestCase):
    def check(self, name, text):
        with tempfile.TemporaryDirectory() as root:
            path = pathlib.Path(root, name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
            return prose.check(root)

    def test_a_fragment_in_each_language(self):
        for name, text in [("engine/a.h", "// Of the run.\nint a;\n"),
                           ("engine/a.h", "// SPDX-License-Identifier: Apache-2.0\n//\n// Which devices there are.\n"),
                           ("storage/a.cpp", "int a;\n\n  /// Whose it is.\n  int b;\n"),
                           ("app/web/page/a.ts", "/** By key. */\nconst a = 1;\n"),
                           ("app/web/page/a.ts", "/**\n * From below.\n */\n"),
                           ("tests/a.py", '"""What it does."""\n'),
                           ("tests/a.py", "    # With its newline.\n"),
                           ("tests/CMakeLists.txt", "# Those of Qt.\n"),
                           ("dev", "#!/usr/bin/env bash\n# Who calls.\n")]:
            fragments, _ = self.check(name, text)
            self.assertEqual(1, len(fragments), text)
            self.assertIn(name, fragments[0])

    def test_what_is_not_a_fragment(self):
        for name, text in [("engine/a.h", "// Returns the middle\n// Of a window.\n"),
                           ("engine/a.h", "int a;  // of the run\n"),
                           ("engine/a.h", "// Offers devices.\n"),
                           ("tests/a.txt", "# Of no program.\n"),
                           ("tests/a.py", '"""Runs it.\n\nOf each run."""\n')]:
            self.assertEqual(([], []), self.check(name, text), text)

    def test_negated_nouns(self):
        for text in ["// '90x' is no duration.", 'refuse("these are no replicas");', "// It has no device that it could use."]:
            self.assertEqual(1, len(self.check("engine/a.cpp", text)[1]), text)
        for text in ["// There is no run.", "// It is no longer a run.", "// is not a run", "// It has no device."]:
            self.assertEqual([], self.check("engine/a.cpp", text)[1], text)


if __name__ == "__main__":
    unittest.main()
