# SPDX-License-Identifier: Apache-2.0
"""The SBOM of a release (release.py), in SPDX 2.3: the foreign parts of each file with version and licence. It is made from what is in
the file: packed libraries by their names, headers compiled in by what they leave in a program, npm's packages where the page is."""
import datetime
import functools
import hashlib
import json
import re

from libraries import ROOT, elf_files, packages_of, run, version
from licences import OTHER_TEXTS, licence_of

# Libraries of headers, and static ones: a header, and bytes that only they bring into a program.
COMPILED_IN = {"boost/version.hpp": b"N5boost", "CLI/CLI.hpp": b"N3CLI", "nlohmann/json.hpp": b"[json.exception.",
               "pybind11/pybind11.h": b"N8pybind11", "SQLiteCpp/SQLiteCpp.h": b"N6SQLite"}
OURS = re.compile(r"libbatchscope\.so|_engine\..*\.so")


def sha256(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()


def debian(package):
    """Returns SPDX's description of a Debian package, by its source and version: they lead to its known faults."""
    source, release = run("dpkg-query", "--show", "--showformat=${source:Package} ${source:Version}\n", package).split("\n")[0].split()
    return described(package, release, f"pkg:deb/debian/{source}@{release}?arch=source", licence_of(source, release))


def bundled():
    """Returns SPDX's descriptions of npm's packages that are in the page."""
    packages = json.loads((ROOT / "app/web/page/package-lock.json").read_text(encoding="utf-8"))["packages"]
    names = {path.removeprefix("node_modules/"): lock for path, lock in packages.items() if path and not lock.get("dev")}
    return {name: described(name, lock["version"], f"pkg:npm/{name}@{lock['version']}", lock["license"]) for name, lock in names.items()}


def described(name, release, address, licence):
    return {"name": name, "SPDXID": f"SPDXRef-{re.sub('[^A-Za-z0-9.-]', '-', name)}", "versionInfo": release, "downloadLocation": "NOASSERTION",
            "filesAnalyzed": False, "licenseConcluded": "NOASSERTION", "licenseDeclared": licence, "copyrightText": "NOASSERTION",
            "externalRefs": [{"referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl", "referenceLocator": address}]}


def libraries_of(tree):
    """Returns the Debian packages of the shared libraries in a tree, without our own libraries."""
    libraries = [path for path in elf_files(tree) if ".so" in path.name and not OURS.fullmatch(path.name)]

    def end(path):
        """Qt 5 has plugins of the same names."""
        return f"qt6/{path.as_posix()[path.as_posix().index('plugins/'):]}" if "plugins" in path.parts else path.name

    return packages_of(set(map(end, libraries))) if libraries else set()


@functools.cache
def package_of_header(header):
    return run("dpkg", "-S", f"/usr/include/{header}").split(":")[0]


def compiled_into(tree):
    """Returns the Debian packages of the headers and static libraries that are compiled into the programs and archives of a tree."""
    content = [path.read_bytes() for path in [*elf_files(tree), *tree.rglob("*.a")]]
    return {package_of_header(header) for header, mark in COMPILED_IN.items() if any(mark in program for program in content)}


def sbom(files, moment):
    """Returns the document about files, each with the folder that was packed into it."""
    parts, wholes, relations = {}, [], []
    for file, tree in files.items():
        own = "Apache-2.0 AND GPL-3.0-or-later" if any(tree.rglob("batchscope-desktop")) else "Apache-2.0"
        whole = described(file.name, version(), f"pkg:generic/batchscope@{version()}", own)
        whole["checksums"] = [{"algorithm": "SHA256", "checksumValue": sha256(file)}]
        wholes.append(whole)
        relations.append(("SPDXRef-DOCUMENT", "DESCRIBES", whole["SPDXID"]))
        inside = {package: debian(package) for package in libraries_of(tree) | compiled_into(tree)}
        if any(tree.rglob("page.js")):
            inside |= bundled()
        relations += [(whole["SPDXID"], "CONTAINS", inside[package]["SPDXID"]) for package in sorted(inside)]
        parts |= inside
    created = datetime.datetime.fromtimestamp(moment, datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
    name = f"batchscope-{version()}"
    digest = hashlib.sha256("".join(sorted(map(sha256, files))).encode()).hexdigest()
    named = " ".join(part["licenseDeclared"] for part in parts.values())
    return {"spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": "SPDXRef-DOCUMENT", "name": name,
            "documentNamespace": f"https://spdx.org/spdxdocs/{name}-{digest}",
            "creationInfo": {"created": created, "creators": ["Tool: batchscope-release"]},
            "hasExtractedLicensingInfos": [{"licenseId": licence, "extractedText": text} for licence, text in OTHER_TEXTS.items() if licence in named],
            "packages": wholes + [parts[name] for name in sorted(parts)],
            "relationships": [{"spdxElementId": a, "relationshipType": kind, "relatedSpdxElement": b} for a, kind, b in relations]}
