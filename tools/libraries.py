# SPDX-License-Identifier: Apache-2.0
"""Gathers the shared libraries that are packed with programs for systems that lack them (wheel.py, portable.py), sets where the programs
find them, and copies their licences."""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[1]


def fail(text):
    sys.exit(f"{pathlib.Path(sys.argv[0]).name}: {text}")


def run(*command):
    done = subprocess.run([str(word) for word in command], stdout=subprocess.PIPE, text=True, check=False)
    if done.returncode:
        fail(f"{command[0]} failed, exit code {done.returncode}: {' '.join(map(str, command))}")
    return done.stdout


def version():
    return re.search(r"project\(BatchScope VERSION (\S+)", (ROOT / "CMakeLists.txt").read_text(encoding="utf-8"))[1]


def elf_files(tree):
    def is_elf(path):
        with path.open("rb") as file:
            return file.read(4) == b"\x7fELF"
    return [path for path in sorted(tree.rglob("*")) if path.is_file() and not path.is_symlink() and is_elf(path)]


def needed(file):
    return run("patchelf", "--print-needed", file).split()


def gather(files, left):
    """Returns by name all libraries that the files need, directly or through others, except the files themselves and names that `left`
    matches."""
    found, todo, ours = {}, list(files), {file.name for file in files}
    while todo:
        file = todo.pop()
        places = dict(re.findall(r"(\S+) => (/\S+)", run("ldd", file)))
        for name in needed(file):
            if left.fullmatch(name) or name in found or name in ours:
                continue
            if name not in places:
                fail(f"{file} needs {name}, which is not on this system: install its package")
            found[name] = pathlib.Path(places[name]).resolve()
            todo.append(found[name])
    return found


def write_empty_icu_data(library):
    """Writes an ICU data library without data. Qt is linked with ICU, and asks its data (31 MB) for collation and for encodings other
    than UTF-8, which no program here uses."""
    release = library.name.split(".")[-1]
    with tempfile.TemporaryDirectory() as folder:
        run("icupkg", "new", f"{folder}/icudt{release}l.dat")
        run("genccode", "--quiet", "-a", "gcc", "-e", f"icudt{release}", "-d", folder, f"{folder}/icudt{release}l.dat")
        run("gcc", "-shared", f"-Wl,-soname,{library.name}", "-o", library, f"{folder}/icudt{release}l_dat.S")


def take_along(tree, folder, left):
    """Copies the libraries that the programs of the tree need into the folder, and writes that path into each file. Returns the copies,
    each with the file that it was copied from."""
    files = elf_files(tree)
    folder.mkdir(parents=True, exist_ok=True)
    copies = {folder / name: source for name, source in gather(files, left).items()}
    for copy, source in copies.items():
        if copy.name.startswith("libicudata."):
            write_empty_icu_data(copy)
        else:
            shutil.copy(source, copy)
            os.chmod(copy, 0o644)
    for file in [*files, *copies]:  # as RPATH, which LD_LIBRARY_PATH does not overrule
        run("patchelf", "--force-rpath", "--set-rpath", f"$ORIGIN/{os.path.relpath(folder, file.parent)}", file)
    return copies


def packages_of(ends):
    """Returns the names of the Debian packages of files with these ends of paths: dpkg may know a library in /lib that is in /usr/lib."""
    found = [line.split(": ", 1) for line in run("dpkg", "-S", *(f"*/{end}" for end in ends)).splitlines()]
    return {next(package.split(":")[0] for package, path in found if path.endswith(f"/{end}")) for end in ends}


def copy_licences(libraries, folder):
    """Copies Debian's copyright file of each library, and the licences that these files name by their path on a Debian system."""
    folder.mkdir()
    shutil.copy(ROOT / "resources/package/copyright", folder / "batchscope.txt")
    for package in sorted(packages_of({library.name for library in libraries})):
        shutil.copy(f"/usr/share/doc/{package}/copyright", folder / f"{package}.txt")
    texts = "".join(path.read_text(encoding="utf-8") for path in folder.iterdir())
    for name in sorted(set(re.findall(r"/usr/share/common-licenses/([\w.-]*\w)", texts))):
        if (common := pathlib.Path("/usr/share/common-licenses", name)).is_file():
            shutil.copy(common, folder / f"{name}.txt")
