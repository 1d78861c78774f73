#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes the table of all texts that people read in window, terminal and page, and languages of it.

  words.py TABLE.ts                write the table, to be translated (Qt Linguist opens it)
  words.py --release TABLE.ts DIR  make DIR/batchscope_LANGUAGE.qm and .json (what the page takes) of a translated one
  words.py --made-up DIR           make the language xx: each text in brackets, a third longer, for tests

The texts stand in the code in English, in tr(..) of Qt and say(..) of the terminal and the page. Each is in the table once, where
it is said first; the context of all of them is "batchscope" (app/common/include/batchscope/common/language.h).
"""

import argparse
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as xml
from typing import NamedTuple

ROOT = pathlib.Path(__file__).resolve().parent.parent
BIN = pathlib.Path("/usr/lib/qt6/bin")
CODE = [ROOT / "app/common", ROOT / "app/cli", ROOT / "app/web/server"]
WINDOW = ROOT / "app/desktop"  # whose functions named say do not translate
PAGE = ROOT / "app/web/page/src"
ALIASES = ["QT_TR_NOOP+=word"]
LITERAL = r'"((?:[^"\\\n]|\\.)*)"'
COUNTED = re.compile(rf"\bplural\([^;]*?,\s*{LITERAL}\)")
CALL = r"(?<![.\w])(?<!function )(?<!private )say\("
SAID = re.compile(rf"{CALL}\s*({LITERAL}(?:\s*\+\s*{LITERAL})*)")
UNSAID = re.compile(rf"{CALL}(?!\s*\")")
COMMENT = re.compile(r"^[ \t]*(//|/?\*).*", re.MULTILINE)


class Text(NamedTuple):
    english: str
    place: str  # FILE:LINE
    by_number: bool = False  # whether it depends on a number, %n or {}


def texts_of_code(folders, aliases):
    with tempfile.TemporaryDirectory() as folder:
        table = pathlib.Path(folder, "code.ts")
        aliases = [word for alias in aliases for word in ("-tr-function-alias", alias)]
        done = subprocess.run([BIN / "lupdate", "-silent", "-extensions", "cpp,h", "-locations", "absolute", *aliases, *folders, "-ts", table],
                              capture_output=True, text=True)  # fmt: skip
        if done.returncode or "without context" in done.stderr:  # then it passes texts over
            sys.exit(f"words.py: lupdate failed: {done.stderr.strip()}")
        for message in xml.parse(table).getroot().iter("message"):
            place = message.find("location")
            file = (pathlib.Path(folder) / place.get("filename")).resolve().relative_to(ROOT)
            yield Text(message.findtext("source"), f"{file}:{place.get('line')}", message.get("numerus") == "yes")


def counted_things():
    """Returns what the terminal counts, as plural() asks for it (app/cli/text/format.h): "{} replica(s)"."""
    for path in sorted(path for folder in CODE for path in folder.rglob("*.cpp")):
        code = path.read_text(encoding="utf-8")
        for found in COUNTED.finditer(code):
            yield Text(f"{{}} {found[1]}(s)", f"{path.relative_to(ROOT)}:{code.count(chr(10), 0, found.start()) + 1}", True)


def texts_of_page():
    for path in sorted(PAGE.rglob("*.ts")):
        code = COMMENT.sub("", path.read_text(encoding="utf-8"))

        def place(found):
            return f"{path.relative_to(ROOT)}:{code.count(chr(10), 0, found.start()) + 1}"

        if unsaid := UNSAID.search(code):
            sys.exit(f"words.py: {place(unsaid)}: say(..) is not given a text in quotation marks, so nobody would translate it")
        for found in SAID.finditer(code):
            yield Text("".join(json.loads(f'"{part}"') for part in re.findall(LITERAL, found[1])), place(found))


def texts():
    """Returns every text once, in the order of files and lines."""
    found = {}
    for text in [*texts_of_code(CODE, [*ALIASES, "tr+=say"]), *texts_of_code([WINDOW], ALIASES), *counted_things(), *texts_of_page()]:
        found.setdefault(text.english, text)
    return sorted(found.values(), key=lambda text: (text.place.rpartition(":")[0], int(text.place.rpartition(":")[2])))


def write_table(path, translate=None, language=None):
    """Writes the table, with the translations that a function of a text gives, or for people to fill in."""
    root = xml.Element("TS", version="2.1", **({"language": language} if language else {}), sourcelanguage="en")
    context = xml.SubElement(root, "context")
    xml.SubElement(context, "name").text = "batchscope"
    for text in texts():
        message = xml.SubElement(context, "message", **({"numerus": "yes"} if text.by_number else {}))
        file, _, line = text.place.rpartition(":")
        xml.SubElement(message, "location", filename=file, line=line)
        xml.SubElement(message, "source").text = text.english
        translation = xml.SubElement(message, "translation", **({} if translate else {"type": "unfinished"}))
        forms = [xml.SubElement(translation, "numerusform") for _ in range(2)] if text.by_number else [translation]
        for form in forms:
            form.text = translate(text.english) if translate else None
    xml.indent(root)
    pathlib.Path(path).write_bytes(b"<!DOCTYPE TS>\n" + xml.tostring(root, encoding="utf-8", xml_declaration=False))


def release(table, folder):
    """Makes what programs (.qm) and the page (.json) read of a translated table."""
    root = xml.parse(table).getroot()
    language = root.get("language") or sys.exit(f"words.py: {table} does not say its language: <TS language=\"de\">")
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    done = subprocess.run([BIN / "lrelease", "-silent", table, "-qm", folder / f"batchscope_{language}.qm"], capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"words.py: lrelease failed: {done.stderr.strip()}")
    translated = {message.findtext("source"): message.findtext("translation") for message in root.iter("message")}
    of_page = {text.english for text in texts_of_page()}
    words = {english: other for english, other in translated.items() if english in of_page and other}
    (folder / f"batchscope_{language}.json").write_text(json.dumps(words, ensure_ascii=False), encoding="utf-8")


def made_up(english):
    """Returns the text in brackets, longer by a third, with its places and its lines."""
    if not re.search(r"[^\W\d_]{2,}", english):
        return english
    return f"[{english}{'~' * (len(english) // 3)}]"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("table", nargs="?", metavar="TABLE.ts")
    what.add_argument("--release", nargs=2, metavar=("TABLE.ts", "DIR"))
    what.add_argument("--made-up", metavar="DIR")
    options = parser.parse_args()
    if options.release:
        release(*options.release)
    elif options.made_up:
        with tempfile.TemporaryDirectory() as folder:
            table = pathlib.Path(folder, "xx.ts")
            write_table(table, made_up, "xx")
            release(table, options.made_up)
    else:
        write_table(options.table)


if __name__ == "__main__":
    main()
