#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every file that a document names is there: a path in backticks, from the root of the tree (a file, a folder, or a
module without its ending), as in `engine/README.md`. The CHANGELOG may name what is gone."""
import pathlib
import re
import unittest

ROOT = pathlib.Path(__file__).parents[2]
FOLDERS = ("app", "engine", "examples", "resources", "storage", "tests", "tools")
PATH = re.compile(rf"`((?:{'|'.join(FOLDERS)})/[\w./-]+)`")


class NamedFiles(unittest.TestCase):
    def test_every_file_that_a_document_names_is_there(self):
        documents = [ROOT / name for name in ("README.md", "CONTRIBUTING.md", "COVERAGE.md", "STYLE.md")]
        for folder in FOLDERS:
            documents += sorted((ROOT / folder).rglob("*.md"))
        named, missing = 0, []
        for document in documents:
            for number, line in enumerate(document.read_text(encoding="utf-8").splitlines(), 1):
                for path in PATH.findall(line):
                    named += 1
                    if "NAME" in path or (ROOT / path).exists() or list(ROOT.glob(path + ".*")):
                        continue
                    missing.append(f"{document.relative_to(ROOT)}:{number}: {path} is not there: name its new place")
        self.assertFalse(missing, "\n" + "\n".join(missing))
        self.assertGreater(named, 40)


if __name__ == "__main__":
    unittest.main()
