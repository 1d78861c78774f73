#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The version is written in CMakeLists.txt, from which programs and packages have it. The newest section of the changelog and the newest
release in the window's metainfo are of this version."""
import pathlib
import re
import sys
import unittest

ROOT = pathlib.Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "tools"))
from libraries import version  # noqa: E402

METAINFO = "resources/desktop/org.batchscope.BatchScope.metainfo.xml"


class Version(unittest.TestCase):
    def first(self, file, pattern):
        found = re.search(pattern, (ROOT / file).read_text(encoding="utf-8"), re.MULTILINE)
        self.assertTrue(found, f"{file} names no version")
        return found[1]

    def test_changelog_and_metainfo_name_the_version(self):
        self.assertEqual(self.first("CHANGELOG.md", r"^## (\S+)"), version(), "CHANGELOG.md begins with another version's section")
        self.assertEqual(self.first(METAINFO, r'<release version="([^"]+)"'), version(), f"{METAINFO} begins with another release")


if __name__ == "__main__":
    unittest.main()
