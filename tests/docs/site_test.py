#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""site_test.py BATCHSCOPE: the documentation site is made without network, has a page for every document and every command, and
each of its links and pictures leads to a file of the site and, behind #, to a place on it."""
import html.parser
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest
import urllib.parse

ROOT = pathlib.Path(__file__).parents[2]


class Page(html.parser.HTMLParser):
    def __init__(self, path):
        super().__init__()
        self.links, self.ids, self.text, self.is_code = [], set(), "", False
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag, attributes):
        given = dict(attributes)
        self.is_code = self.is_code or tag == "pre"
        if link := given.get("src") or (given.get("href") if tag in ("a", "link") else None):
            self.links.append(link)
        self.ids.update(given[key] for key in ("id", "name") if given.get(key))

    def handle_endtag(self, tag):
        self.is_code = self.is_code and tag != "pre"

    def handle_data(self, data):
        self.text += "" if self.is_code else data


class Site(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory(prefix="batchscope-site-")
        subprocess.run([sys.executable, ROOT / "tools/site/site.py", PROGRAM, cls.folder.name], check=True)
        cls.root = pathlib.Path(cls.folder.name).resolve() / "html"
        cls.pages = {path: Page(path) for path in cls.root.rglob("*.html") if path.name != "404.html"}

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def test_every_link_leads_somewhere(self):
        broken, elsewhere = [], []
        for path, page in self.pages.items():
            for link in page.links:
                parts = urllib.parse.urlsplit(link)
                if parts.scheme in ("data", "mailto"):
                    continue
                if parts.scheme:
                    elsewhere += [link] if link.endswith((".js", ".css")) else []
                    continue
                target = (path.parent / urllib.parse.unquote(parts.path)).resolve() if parts.path else path
                target = target / "index.html" if target.is_dir() else target
                anchor = urllib.parse.unquote(parts.fragment)
                if not target.is_file() or (anchor and target in self.pages and anchor not in self.pages[target].ids):
                    broken.append(f"{path.relative_to(self.root)}: {link}")
        self.assertEqual([], broken)
        self.assertEqual([], elsewhere, "the site fetches these from the network")

    def test_what_it_holds(self):
        self.assertIn("buttons that checkpoint", " ".join(self.pages[self.root / "index.html"].text.split()))
        commands = self.pages[self.root / "reference/commands.html"]
        for name in ("batchscope-run", "batchscope-rescale", "batchscope-sweep-run", "batchscope-help-exit-codes"):
            self.assertIn(name, commands.ids)
        self.assertIn("AdaptiveDataLoader", self.pages[self.root / "reference/python.html"].text)

    def test_lists_and_tables_are_such(self):
        for path, page in self.pages.items():
            self.assertIsNone(re.search(r"\n- (?!:)", page.text), f"{path.relative_to(self.root)} shows a list as text")
            self.assertNotIn("|---", page.text.split(), f"{path.relative_to(self.root)} shows a table as text")


if __name__ == "__main__":
    PROGRAM = pathlib.Path(sys.argv.pop(1)).resolve()
    unittest.main()
