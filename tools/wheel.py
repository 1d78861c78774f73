#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Makes the wheel of a build (./dev wheel): CMake's component `wheel`, the engine of batchscope.torch, and the libraries that not every
Linux has, which the programs find relative to themselves.

    wheel.py BUILD FOLDER [--engine BUILD]      FOLDER/batchscope-VERSION-py3-none-PLATFORM.whl; FOLDER/tree is what is in it

The platform's name has the glibc that the programs need, so that pip refuses an older system.
"""
import argparse
import os
import pathlib
import platform
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib

ROOT = pathlib.Path(__file__).resolve().parents[1]
# glibc, zlib and gcc's libraries are on every Linux that manylinux describes. PyTorch's are the interpreter's. OpenSSL stays the
# system's: what mends it comes from there, and a process that runs Python has loaded it before us.
LEFT = re.compile(r"(ld-linux.*|lib(c|m|dl|rt|pthread|resolv|stdc\+\+|gcc_s|z|crypto|ssl|c10|torch.*))\.so.*")


def run(*command):
    done = subprocess.run([str(word) for word in command], stdout=subprocess.PIPE, text=True, check=False)
    if done.returncode:
        sys.exit(f"wheel.py: {command[0]} failed, exit code {done.returncode}: {' '.join(map(str, command))}")
    return done.stdout


def is_elf(path):
    with path.open("rb") as file:
        return file.read(4) == b"\x7fELF"


def gather(files):
    """Returns the libraries that are not among the files, and that these need, and these in turn, by name."""
    found, todo, ours = {}, list(files), {file.name for file in files}
    while todo:
        file = todo.pop()
        places = dict(re.findall(r"(\S+) => (/\S+)", run("ldd", file)))
        for name in run("patchelf", "--print-needed", file).split():
            if LEFT.fullmatch(name) or name in found or name in ours:
                continue
            if name not in places:
                sys.exit(f"wheel.py: {file} needs {name}, which is not on this system: install its package")
            found[name] = pathlib.Path(places[name]).resolve()
            todo.append(found[name])
    return found


def write_empty_icu_data(library):
    """Writes an ICU data library without data. Qt is linked with ICU, and asks its data (31 MB) for collation and for encodings other
    than UTF-8, which no program here uses."""
    version = library.name.split(".")[-1]
    with tempfile.TemporaryDirectory() as folder:
        run("icupkg", "new", f"{folder}/icudt{version}l.dat")
        run("genccode", "--quiet", "-a", "gcc", "-e", f"icudt{version}", "-d", folder, f"{folder}/icudt{version}l.dat")
        run("gcc", "-shared", f"-Wl,-soname,{library.name}", "-o", library, f"{folder}/icudt{version}l_dat.S")


def copy_engine(build, package):
    built = sorted((build / "bin/python/batchscope").glob("_engine.*.so"))
    for file in built:
        shutil.copy(file, package)
        shutil.copy(file.with_name("_engine_for.py"), package)
        run("strip", "--strip-unneeded", package / file.name)
    return built


def copy_libraries(tree):
    """Puts the libraries beside the programs, and writes into each file where it finds them. Returns where they came from."""
    files = [path for path in sorted(tree.rglob("*")) if path.is_file() and is_elf(path)]
    folder = tree / "batchscope/_installed/lib"
    found = gather(files)
    for name, source in found.items():
        if name.startswith("libicudata."):
            write_empty_icu_data(folder / name)
        else:
            shutil.copy(source, folder / name)
            os.chmod(folder / name, 0o644)
        files.append(folder / name)
    for file in files:  # as RPATH, which LD_LIBRARY_PATH does not overrule
        run("patchelf", "--force-rpath", "--set-rpath", f"$ORIGIN/{os.path.relpath(folder, file.parent)}", file)
    return sorted(found.values()), files


def glibc_of(files):
    needed = set(re.findall(r"Name: GLIBC_2\.(\d+)", run("readelf", "--wide", "--version-info", *files)))
    return max(map(int, needed))


def copy_licences(libraries, folder):
    """Copies what Debian says of each library's licence, and the licences that it names by their place on a Debian system."""
    folder.mkdir()
    shutil.copy(ROOT / "resources/package/copyright", folder / "batchscope.txt")
    for library in libraries:
        package = run("dpkg", "-S", f"*/{library.name}").split(":")[0]  # dpkg may know it in /lib, where it is in /usr/lib
        shutil.copy(f"/usr/share/doc/{package}/copyright", folder / f"{package}.txt")
    texts = "".join(path.read_text(encoding="utf-8") for path in folder.iterdir())
    for name in sorted(set(re.findall(r"/usr/share/common-licenses/([\w.-]*\w)", texts))):
        if (common := pathlib.Path("/usr/share/common-licenses", name)).is_file():
            shutil.copy(common, folder / f"{name}.txt")


def write_metadata(folder, version, glibc):
    project = tomllib.loads((ROOT / "engine/python/pyproject.toml").read_text(encoding="utf-8"))["project"]
    (folder / "METADATA").write_text(f"""Metadata-Version: 2.1
Name: {project["name"]}
Version: {version}
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
    parser.add_argument("--engine", type=pathlib.Path, help="a build with another _engine (default: BUILD)")
    arguments = parser.parse_args()
    tree = arguments.folder.resolve() / "tree"
    shutil.rmtree(tree, ignore_errors=True)
    run("cmake", "--install", arguments.build, "--strip", "--component", "wheel", "--prefix", tree)
    copy_engine(arguments.engine or arguments.build, tree / "batchscope")
    libraries, files = copy_libraries(tree)
    version = re.search(r"project\(BatchScope VERSION (\S+)", (ROOT / "CMakeLists.txt").read_text(encoding="utf-8"))[1]
    described = tree / f"batchscope-{version}.dist-info"
    described.mkdir()
    write_metadata(described, version, glibc_of(files))
    scripts = described.with_suffix(".data") / "scripts"
    scripts.mkdir(parents=True)
    shutil.copy(ROOT / "engine/python/command.py", scripts / "batchscope")
    os.chmod(scripts / "batchscope", 0o755)
    copy_licences(libraries, described / "licenses")
    for old in arguments.folder.glob("*.whl"):
        old.unlink()
    run(sys.executable, "-m", "wheel", "pack", tree, "--dest-dir", arguments.folder)
    wheel, = arguments.folder.glob("*.whl")
    print(wheel)


if __name__ == "__main__":
    main()
