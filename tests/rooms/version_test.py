#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The version is written in CMakeLists.txt, from which programs and packages have it. The newest section of the changelog and the newest
release in the window's metainfo are of this version. The layout of the run catalogue has a version too, the number of its migrations;
the Python package and FORMAT.md name it."""
import pathlib
import re
import sys
import unittest

ROOT = pathlib.Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "tools"))
from libraries import version  # noqa: E402

METAINFO = "resources/desktop/org.batchscope.BatchScope.metainfo.xml"
SCHEMA = "storage/src/catalogue/catalogue_schema.cpp"


class Version(unittest.TestCase):
    def first(self, file, pattern):
        found = re.search(pattern, (ROOT / file).read_text(encoding="utf-8"), re.MULTILINE)
        self.assertTrue(found, f"{file} names no version")
        return found[1]

    def test_changelog_and_metainfo_name_the_version(self):
        self.assertEqual(self.first("CHANGELOG.md", r"^## (\S+)"), version(), "CHANGELOG.md begins with another version's section")
        self.assertEqual(self.first(METAINFO, r'<release version="([^"]+)"'), version(), f"{METAINFO} begins with another release")

    def test_the_format_tells_every_table(self):
        told = (ROOT / "storage/FORMAT.md").read_text(encoding="utf-8")
        for table in re.findall(r"CREATE TABLE (\w+)", (ROOT / SCHEMA).read_text(encoding="utf-8")):
            self.assertIn(f"`{table}`", told)

    def test_the_python_package_and_the_format_know_the_newest_layout(self):
        newest = len(self.first(SCHEMA, r'"a run catalogue",\s*\{([^}]*)\}').split(","))
        self.assertEqual(self.first("engine/python/batchscope/store.py", r"^_CATALOGUE = \(\w+, (\d+)\)"), str(newest))
        self.assertEqual(self.first("storage/FORMAT.md", r"^\| `user_version` \| (\d+) \|"), str(newest))


if __name__ == "__main__":
    unittest.main()
