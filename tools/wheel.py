#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Makes the wheel of a build (./dev wheel): CMake's component `wheel`, the engine of batchscope.torch, and the libraries that not every
Linux has. The programs find these relative to themselves.

    wheel.py BUILD FOLDER [--engine BUILD]      FOLDER/batchscope-VERSION-py3-none-PLATFORM.whl; FOLDER/tree is what is in it

The platform's name contains the glibc version that the programs need, so that pip refuses an older system.
"""
import argparse
import os
import pathlib
import platform
import re
import shutil
import sys
import tomllib

from libraries import ROOT, copy_licences, elf_files, run, take_along, version

# glibc, zlib and gcc's libraries are on every Linux that manylinux describes. PyTorch's are the interpreter's. OpenSSL stays the
# system's, so that it gets the system's fixes; a Python process has also loaded it before us.
LEFT = re.compile(r"(ld-linux.*|lib(c|m|dl|rt|pthread|resolv|stdc\+\+|gcc_s|z|crypto|ssl|c10|torch.*))\.so.*")


def copy_engine(build, package):
    built = sorted((build / "bin/python/batchscope").glob("_engine.*.so"))
    for file in built:
        shutil.copy(file, package)
        shutil.copy(file.with_name("_engine_for.py"), package)
        run("strip", "--strip-unneeded", package / file.name)
    return built


def glibc_of(files):
    needed = set(re.findall(r"Name: GLIBC_2\.(\d+)", run("readelf", "--wide", "--version-info", *files)))
    return max(map(int, needed))


def write_metadata(folder, glibc):
    project = tomllib.loads((ROOT / "engine/python/pyproject.toml").read_text(encoding="utf-8"))["project"]
    (folder / "METADATA").write_text(f"""Metadata-Version: 2.1
Name: {project["name"]}
Version: {version()}
Summary: {project["description"]}
License: {project["license"]["text"]}
Requires-Python: {project["requires-python"]}
Description-Content-Type: text/markdown

{(ROOT / "engine/python" / project["readme"]).read_text(encoding="utf-8")}""", encoding="utf-8")
    (folder / "WHEEL").write_text(f"""Wheel-Version: 1.0
Generator: batchscope
Root-Is-Purelib: false
Tag: py3-none-manylinux_2_{glibc}_{platform.machine()}
""", encoding="utf-8")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--engine", type=pathlib.Path, help="take _engine from this build (default: BUILD)")
    arguments = parser.parse_args()
    tree = arguments.folder.resolve() / "tree"
    shutil.rmtree(tree, ignore_errors=True)
    run("cmake", "--install", arguments.build, "--strip", "--component", "wheel", "--prefix", tree)
    copy_engine(arguments.engine or arguments.build, tree / "batchscope")
    copies = take_along(tree, tree / "batchscope/_installed/lib", LEFT)
    described = tree / f"batchscope-{version()}.dist-info"
    described.mkdir()
    write_metadata(described, glibc_of(elf_files(tree)))
    scripts = described.with_suffix(".data") / "scripts"
    scripts.mkdir(parents=True)
    shutil.copy(ROOT / "engine/python/command.py", scripts / "batchscope")
    os.chmod(scripts / "batchscope", 0o755)
    copy_licences(copies.values(), described / "licenses")
    for old in arguments.folder.glob("*.whl"):
        old.unlink()
    run(sys.executable, "-m", "wheel", "pack", tree, "--dest-dir", arguments.folder)
    wheel, = arguments.folder.glob("*.whl")
    print(wheel)


if __name__ == "__main__":
    main()
