#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""A release (tools/release.py) of the archive, the wheel and two Debian packages. Its SBOM has the fields that SPDX 2.3 requires. It
names each library in these files, and what is compiled into them, with version and licence, and nothing that is not in them.

    release_test.py BUILD ARCHIVES WHEELS FOLDER      ARCHIVES, WHEELS: where portable.py and wheel.py have packed; FOLDER is made anew
"""
import datetime
import hashlib
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import unittest
import zipfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD, ARCHIVES, WHEELS, FOLDER = map(pathlib.Path, sys.argv[1:])
OURS = re.compile(r"libbatchscope\.so|_engine\..*\.so")
TOOLCHAIN = re.compile(r"gcc-\d+|glibc|linux|python3\.\d+")  # which every Linux has, and each interpreter its own
PARSER = """
const parse = require(process.argv[1]);
for (const expression of process.argv.slice(2)) parse(expression);
"""


def ask(*words, status=(0,)):
    done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
    if done.returncode not in status:
        raise AssertionError(f"{words[:4]} failed: {done.stdout[-2000:]}{done.stderr[-2000:]}")
    return done.stdout


def owners(files):
    """Returns the Debian packages of files. dpkg may know a file of /usr/lib as one of /lib."""
    names = {path for file in files for path in (os.path.realpath(file), os.path.realpath(file).removeprefix("/usr"))}
    found = ask("dpkg-query", "--search", *sorted(names), status=(0, 1))
    return {line.split(":")[0] for line in found.splitlines()}


def sources(packages):
    return set(ask("dpkg-query", "--show", "--showformat=${source:Package}\n", *sorted(packages)).split())


def elf_files(folder):
    return [path for path in folder.rglob("*") if path.is_file() and not path.is_symlink() and path.read_bytes()[:4] == b"\x7fELF"]


class Release(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        shutil.rmtree(FOLDER, ignore_errors=True)
        archive, = ARCHIVES.glob("*.tar.xz")
        wheel, = WHEELS.glob("*.whl")
        packages = [cls.pack(component) for component in ("python", "engine")]
        ask(sys.executable, ROOT / "tools/release.py", FOLDER / "release", "--tree", f"{archive}={ARCHIVES / 'tree'}",
            "--tree", f"{wheel}={WHEELS / 'tree'}", *packages)
        cls.unpacked = {path.name: FOLDER / "unpacked" / path.name for path in (archive, wheel, *packages)}
        for folder in cls.unpacked.values():
            folder.mkdir(parents=True)
        ask("tar", "--extract", "--file", archive, "--directory", cls.unpacked[archive.name])
        zipfile.ZipFile(wheel).extractall(cls.unpacked[wheel.name])
        for package in packages:
            ask("dpkg-deb", "--extract", package, cls.unpacked[package.name])
        cls.wheel, cls.archive = wheel.name, archive.name
        materials, = (FOLDER / "release").glob("*.spdx.json")
        cls.sbom = json.loads(materials.read_text(encoding="utf-8"))
        cls.parts = {part["SPDXID"]: part for part in cls.sbom["packages"]}

    @staticmethod
    def pack(component):
        """Packs a component as a Debian package."""
        tree = FOLDER / component
        ask("cmake", "--install", BUILD, "--component", component, "--prefix", tree / "usr")
        (tree / "DEBIAN").mkdir()
        (tree / "DEBIAN/control").write_text(f"Package: {component}\nVersion: 1\nArchitecture: amd64\nMaintainer: nobody\nDescription: tried\n",
                                             encoding="utf-8")
        package = FOLDER / f"{component}.deb"
        ask("dpkg-deb", "-Znone", "--build", tree, package)
        return package

    def inside(self, file):
        """Returns by name the parts that the SBOM says are in a file."""
        whole, = (part["SPDXID"] for part in self.sbom["packages"] if part["name"] == file)
        related = [relation["relatedSpdxElement"] for relation in self.sbom["relationships"]
                   if relation["relationshipType"] == "CONTAINS" and relation["spdxElementId"] == whole]
        self.assertEqual(len(related), len(set(related)), f"{file} contains a part twice")
        return {self.parts[part]["name"]: self.parts[part] for part in related}

    def test_checksums_and_notes(self):
        ask("sh", "-c", f"cd '{FOLDER}/release' && sha256sum --check --strict SHA256SUMS")
        sums = (FOLDER / "release/SHA256SUMS").read_text(encoding="utf-8")
        for name in [*self.unpacked, "NOTES.md"]:
            self.assertIn(f"  {name}\n", sums)
        self.assertIn("### Training", (FOLDER / "release/NOTES.md").read_text(encoding="utf-8"))

    def test_the_document_has_what_spdx_requires(self):
        self.assertEqual(["SPDX-2.3", "CC0-1.0", "SPDXRef-DOCUMENT"], [self.sbom[name] for name in ("spdxVersion", "dataLicense", "SPDXID")])
        self.assertTrue(self.sbom["name"])
        self.assertRegex(self.sbom["documentNamespace"], r"^https://[^#\s]+$")
        datetime.datetime.strptime(self.sbom["creationInfo"]["created"], "%Y-%m-%dT%H:%M:%SZ")
        for creator in self.sbom["creationInfo"]["creators"]:
            self.assertRegex(creator, "^(Tool|Organization|Person): .")
        self.assertTrue(self.sbom["creationInfo"]["creators"])
        self.assertEqual(len(self.parts), len(self.sbom["packages"]), "an identifier stands twice")
        for part in self.sbom["packages"]:
            self.assertRegex(part["SPDXID"], r"^SPDXRef-[A-Za-z0-9.-]+$")
            self.assertTrue(part["name"])
            self.assertEqual(["NOASSERTION", False], [part["downloadLocation"], part["filesAnalyzed"]])
            address, = part["externalRefs"]
            self.assertEqual(["PACKAGE-MANAGER", "purl"], [address["referenceCategory"], address["referenceType"]])
            self.assertRegex(address["referenceLocator"], r"^pkg:(deb/debian|generic|npm)/[^@\s]+@[^@\s]+$")
        for relation in self.sbom["relationships"]:
            self.assertIn(relation["relationshipType"], ("DESCRIBES", "CONTAINS"))
            self.assertIn(relation["spdxElementId"], {"SPDXRef-DOCUMENT", *self.parts})
            self.assertIn(relation["relatedSpdxElement"], self.parts)

    def test_it_describes_each_file_by_its_checksum(self):
        described = [self.parts[relation["relatedSpdxElement"]] for relation in self.sbom["relationships"] if relation["relationshipType"] == "DESCRIBES"]
        self.assertEqual(sorted(self.unpacked), sorted(part["name"] for part in described))
        for part in described:
            digest = hashlib.sha256((FOLDER / "release" / part["name"]).read_bytes()).hexdigest()
            self.assertEqual([{"algorithm": "SHA256", "checksumValue": digest}], part["checksums"])
            window = any(self.unpacked[part["name"]].rglob("batchscope-desktop"))
            self.assertEqual(window, "GPL-3.0-or-later" in part["licenseDeclared"], part["name"])

    def test_licences_are_expressions_of_spdx(self):
        expressions = {part["licenseDeclared"] for part in self.sbom["packages"]}
        self.assertNotIn("NOASSERTION", expressions)
        parsers = [pathlib.Path("/usr/share/nodejs"), pathlib.Path(ask("npm", "root", "--global").strip(), "npm/node_modules")]
        parser = next(folder / "spdx-expression-parse" for folder in parsers if (folder / "spdx-expression-parse").is_dir())
        ask("node", "-e", PARSER, parser, *sorted(expressions))
        others = set(re.findall(r"LicenseRef-[\w.-]+", " ".join(expressions)))
        self.assertEqual(others, {info["licenseId"] for info in self.sbom["hasExtractedLicensingInfos"] if info["extractedText"]})

    def test_each_library_is_named_and_no_other(self):
        for file, folder in self.unpacked.items():
            libraries = {path.name for path in elf_files(folder) if ".so" in path.name and not OURS.fullmatch(path.name)}
            named = {}
            for name, part in self.inside(file).items():
                if not part["externalRefs"][0]["referenceLocator"].startswith("pkg:deb/"):
                    continue
                source, release = ask("dpkg-query", "--show", "--showformat=${source:Package} ${source:Version}\n", name).splitlines()[0].split()
                self.assertEqual([release, f"pkg:deb/debian/{source}@{release}?arch=source"],
                                 [part["versionInfo"], part["externalRefs"][0]["referenceLocator"]])
                named[name] = {path.rsplit("/", 1)[-1] for path in ask("dpkg-query", "--listfiles", name).splitlines()}
            self.assertFalse(libraries - set().union(*named.values()), f"{file} has libraries that its SBOM does not name")
            strange = {name for name, files in named.items() if not files & libraries and not any(path.endswith((".h", ".hpp")) for path in files)}
            self.assertFalse(strange, f"{file} lacks what its SBOM names")

    def compiled_into(self, file):
        """Returns the parts of a file that are not libraries in it."""
        return {re.sub(r"^(libboost)[\d.]+", r"\1", name).removesuffix("-dev") for name in self.inside(file) if name.endswith("-dev") or name == "uplot"}

    def test_what_is_compiled_in_is_named_where_it_is(self):
        programs = {"libboost", "libcli11", "libsqlitecpp", "nlohmann-json3", "uplot"}
        engine = {"pybind11"} if any(self.unpacked[self.wheel].rglob("_engine.*.so")) else set()
        self.assertEqual(programs, self.compiled_into(self.archive))
        self.assertEqual(programs | engine, self.compiled_into(self.wheel))
        self.assertEqual({"libsqlitecpp", "nlohmann-json3"}, self.compiled_into("engine.deb"))
        self.assertEqual({}, self.inside("python.deb"))

    def test_every_header_is_of_something_named_or_linked(self):
        """Of all headers that the compiler has read for programs, ninja's log knows the files."""
        headers, ours = set(), False
        for line in ask("ninja", "-C", BUILD, "-t", "deps").splitlines():
            if line and not line[0].isspace():
                ours = not line.startswith(("tests/", "ninja:"))
            elif ours and line.strip().startswith("/usr/"):
                headers.add(line.strip())
        self.assertGreater(len(headers), 1000)
        programs = [*elf_files(BUILD / "bin")]
        linked = re.findall(r"=> (/\S+)", ask("ldd", *programs, status=(0, 1)))
        named = {part["externalRefs"][0]["referenceLocator"].split("@")[0].removeprefix("pkg:deb/debian/") for part in self.sbom["packages"]}
        unnamed = sources(owners(headers)) - sources(owners(linked)) - named
        self.assertFalse({source for source in unnamed if not TOOLCHAIN.fullmatch(source)}, "enter them in COMPILED_IN of tools/sbom.py")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
