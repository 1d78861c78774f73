#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every link of a document leads to a file of the tree, and behind # to a heading of it. Pages elsewhere are not asked: the
test needs no network."""
import pathlib
import re
import unittest

ROOT = pathlib.Path(__file__).parents[2]
LINK = re.compile(r"\]\(([^()\s]+)\)")
ELSEWHERE = re.compile(r"[a-z]+:")


def without_code(text):
    return re.sub(r"`[^`\n]*`", "", re.sub(r"^```.*?^```", "", text, flags=re.M | re.S))


def anchors(path):
    """Returns what may stand behind # in a link to this document: its headings, as a browser of Markdown names them."""
    text = re.sub(r"^```.*?^```", "", path.read_text(encoding="utf-8"), flags=re.M | re.S)
    shown = (re.sub(r"\]\([^)]*\)", "", heading) for heading in re.findall(r"^#+ (.+)$", text, re.M))
    return {re.sub(r"\s", "-", re.sub(r"[^\w\s-]", "", heading).strip().lower()) for heading in shown}


class Links(unittest.TestCase):
    def test_every_link_leads_somewhere(self):
        documents = [path for path in ROOT.rglob("*.md") if not {"build", "node_modules"} & set(path.parts)]
        checked, broken = 0, []
        for document in documents:
            for link in LINK.findall(without_code(document.read_text(encoding="utf-8"))):
                if ELSEWHERE.match(link):
                    continue
                checked += 1
                name, _, anchor = link.partition("#")
                target = (document.parent / name).resolve() if name else document
                if not target.exists():
                    broken.append(f"{document.relative_to(ROOT)}: {link} leads nowhere")
                elif anchor and anchor not in anchors(target):
                    broken.append(f"{document.relative_to(ROOT)}: {link}: {target.name} has no such heading")
        self.assertFalse(broken, "\n" + "\n".join(broken))
        self.assertGreater(checked, 100)


if __name__ == "__main__":
    unittest.main()
