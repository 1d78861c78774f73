#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Puts a release together (./dev release): its files, an SBOM (SPDX 2.3: the foreign parts of each file, with versions), the changelog's
section of this version as notes, and SHA256SUMS.

    release.py FOLDER --tree FILE=TREE.. [FILE..]      TREE: the folder that was packed into FILE
"""
import argparse
import datetime
import hashlib
import json
import os
import pathlib
import re
import shutil

from libraries import ROOT, elf_files, fail, packages_of, run, version

# Code that is compiled into our programs, by Debian's packages of headers, and into the page, by npm's packages.
COMPILED_IN = ["nlohmann-json3-dev", "libcli11-dev", "libsqlitecpp-dev", "libboost-dev"]
BUNDLED = ["uplot"]


def sha256(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()


def debian(package):
    """Returns SPDX's description of a Debian package, by its source and version: they lead to its licence and its known faults."""
    source, release = run("dpkg-query", "--show", "--showformat=${source:Package} ${source:Version}\n", package).split("\n")[0].split()
    return described(package, release, f"pkg:deb/debian/{source}@{release}?arch=source")


def npm(package):
    lock = json.loads((ROOT / "app/web/page/package-lock.json").read_text(encoding="utf-8"))["packages"][f"node_modules/{package}"]
    return described(package, lock["version"], f"pkg:npm/{package}@{lock['version']}", lock["license"])


def described(name, release, address, licence="NOASSERTION"):
    return {"name": name, "SPDXID": f"SPDXRef-{re.sub('[^A-Za-z0-9.-]', '-', name)}", "versionInfo": release, "downloadLocation": "NOASSERTION",
            "filesAnalyzed": False, "licenseConcluded": "NOASSERTION", "licenseDeclared": licence, "copyrightText": "NOASSERTION",
            "externalRefs": [{"referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl", "referenceLocator": address}]}


def libraries_of(tree):
    """Returns the Debian packages of the shared libraries in a tree, without our own libraries."""
    ours = re.compile(r"libbatchscope\.so|_engine\..*\.so|libicudata\..*")  # the last is rewritten without data
    libraries = [path for path in elf_files(tree) if ".so" in path.name and not ours.fullmatch(path.name)]

    def end(path):
        """Qt 5 has plugins of the same names."""
        return f"qt6/{path.as_posix()[path.as_posix().index('plugins/'):]}" if "plugins" in path.parts else path.name

    return packages_of(set(map(end, libraries)))


def sbom(files, moment):
    parts = {package: debian(package) for package in COMPILED_IN} | {package: npm(package) for package in BUNDLED}
    wholes, relations = [], []
    for file, tree in files.items():
        whole = described(file.name, version(), f"pkg:generic/batchscope@{version()}", "Apache-2.0 AND GPL-3.0-or-later")
        whole["checksums"] = [{"algorithm": "SHA256", "checksumValue": sha256(file)}]
        wholes.append(whole)
        relations.append(("SPDXRef-DOCUMENT", "DESCRIBES", whole["SPDXID"]))
        inside = libraries_of(tree) if tree else set()  # a Debian package names its libraries as dependencies
        parts |= {package: debian(package) for package in inside - parts.keys()}
        relations += [(whole["SPDXID"], "CONTAINS", parts[package]["SPDXID"]) for package in sorted([*inside, *COMPILED_IN, *BUNDLED])]
    created = datetime.datetime.fromtimestamp(moment, datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
    name = f"batchscope-{version()}"
    digest = hashlib.sha256("".join(sorted(map(sha256, files))).encode()).hexdigest()
    return {"spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": "SPDXRef-DOCUMENT", "name": name,
            "documentNamespace": f"https://spdx.org/spdxdocs/{name}-{digest}",
            "creationInfo": {"created": created, "creators": ["Tool: batchscope-release"]},
            "packages": wholes + [parts[name] for name in sorted(parts)],
            "relationships": [{"spdxElementId": a, "relationshipType": kind, "relatedSpdxElement": b} for a, kind, b in relations]}


def notes():
    """Returns the changelog's section of this version, without its heading."""
    changelog = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    section = re.search(rf"^## {re.escape(version())}\n(.*?)(?=^## |\Z)", changelog, re.MULTILINE | re.DOTALL)
    return section[1].strip() + "\n" if section else fail(f"CHANGELOG.md has no section {version()}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("files", nargs="*", type=pathlib.Path)
    parser.add_argument("--tree", action="append", default=[], metavar="FILE=TREE")
    arguments = parser.parse_intermixed_args()  # FILEs come after --tree
    moment = int(os.environ.get("SOURCE_DATE_EPOCH", "0"))
    shutil.rmtree(arguments.folder, ignore_errors=True)
    arguments.folder.mkdir(parents=True)
    trees = {pathlib.Path(file): pathlib.Path(tree) for file, tree in (pair.split("=", 1) for pair in arguments.tree)}
    files = {pathlib.Path(shutil.copy(file, arguments.folder)): tree for file, tree in [*trees.items(), *((file, None) for file in arguments.files)]}
    materials = arguments.folder / f"batchscope-{version()}.spdx.json"
    materials.write_text(json.dumps(sbom(files, moment), indent=1) + "\n", encoding="utf-8")
    news = arguments.folder / "NOTES.md"
    news.write_text(notes(), encoding="utf-8")
    sums = "".join(f"{sha256(file)}  {file.name}\n" for file in sorted([*files, materials, news]))
    (arguments.folder / "SHA256SUMS").write_text(sums, encoding="utf-8")
    print(arguments.folder)


if __name__ == "__main__":
    main()
