#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Puts a release together (./dev release): its files, their SBOM (sbom.py), the changelog's section of this version as notes, and
SHA256SUMS.

    release.py FOLDER --tree FILE=TREE.. [PACKAGE.deb..]      TREE: the folder that was packed into FILE
"""
import argparse
import json
import os
import pathlib
import re
import shutil
import tempfile

from libraries import ROOT, fail, run, version
from sbom import sbom, sha256


def notes():
    """Returns the changelog's section of this version, without its heading."""
    changelog = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    section = re.search(rf"^## {re.escape(version())}\n(.*?)(?=^## |\Z)", changelog, re.MULTILINE | re.DOTALL)
    return section[1].strip() + "\n" if section else fail(f"CHANGELOG.md has no section {version()}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("packages", nargs="*", type=pathlib.Path)
    parser.add_argument("--tree", action="append", default=[], metavar="FILE=TREE")
    arguments = parser.parse_intermixed_args()  # packages come after --tree
    moment = int(os.environ.get("SOURCE_DATE_EPOCH", "0"))
    shutil.rmtree(arguments.folder, ignore_errors=True)
    arguments.folder.mkdir(parents=True)
    trees = {pathlib.Path(file): pathlib.Path(tree) for file, tree in (pair.split("=", 1) for pair in arguments.tree)}
    with tempfile.TemporaryDirectory() as extracted:
        for package in arguments.packages:
            trees[package] = pathlib.Path(extracted, package.stem)
            run("dpkg-deb", "--extract", package, trees[package])
        files = {pathlib.Path(shutil.copy(file, arguments.folder)): tree for file, tree in trees.items()}
        document = sbom(files, moment)
    materials = arguments.folder / f"batchscope-{version()}.spdx.json"
    materials.write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")
    news = arguments.folder / "NOTES.md"
    news.write_text(notes(), encoding="utf-8")
    sums = "".join(f"{sha256(file)}  {file.name}\n" for file in sorted([*files, materials, news]))
    (arguments.folder / "SHA256SUMS").write_text(sums, encoding="utf-8")
    print(arguments.folder)


if __name__ == "__main__":
    main()
