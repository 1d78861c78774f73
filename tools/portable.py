#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Makes a portable archive (./dev release): the window and the command line with Qt and other libraries that not every desktop has.
It can be unpacked anywhere, and needs no installation.

    portable.py BUILD FOLDER      FOLDER/batchscope-VERSION-linux-MACHINE.tar.xz; FOLDER/tree is what is in it

Programs are in `bin` and find everything else relative to themselves, as in a build. Examples on LibTorch are left out, because LibTorch
unpacks to half a gigabyte; scripts bring their own PyTorch. Two archives of one build are the same bytes.
"""
import argparse
import os
import pathlib
import platform
import re
import shutil
import subprocess
import tempfile

from libraries import ROOT, copy_licences, elf_files, fail, needed, run, take_along, version

# Libraries that every Linux or every desktop has. Those of its drivers (GL), its screen (X11; Wayland's are in Qt's package) and its
# fonts must be the system's own, as in AppImage's list (https://github.com/AppImage/pkg2appimage/blob/master/excludelist). OpenSSL
# stays the system's, so that it gets the system's fixes.
LEFT = re.compile(r"(ld-linux.*|lib(c|m|dl|rt|pthread|resolv|stdc\+\+|gcc_s|z|crypto|ssl|expat|drm|gbm|"
                  r"GL|EGL|GLX|GLdispatch|X11|X11-xcb|xcb|ICE|SM|fontconfig|freetype|harfbuzz|fribidi|uuid|p11-kit))\.so.*")
PLUGINS = ["platforms/libqxcb", "platforms/libqoffscreen", "platforms/libqwayland*", "xcbglintegrations/*", "wayland-*-client/*",
           "wayland-shell-integration/*", "iconengines/*", "imageformats/libqgif", "imageformats/libqsvg", "platforminputcontexts/*",
           "tls/libqopensslbackend"]
README = """BatchScope {version}, an oscilloscope for elastic deep-learning training.

  ./batchscope-desktop              the window; Ctrl+D starts a demo
  ./batchscope run train.py         train a Python script, and watch it; ./batchscope --help says more

A script with `import batchscope` needs nothing else; `batchscope.torch` comes with the wheel. Nothing is installed: to remove
BatchScope, delete this folder, and ~/.local/share/batchscope with the recorded runs.

licenses/ has the licence of BatchScope and those of the libraries in lib/.
"""


def copy_programs(installed, tree):
    """Copies the programs that need no LibTorch."""
    (tree / "bin").mkdir(parents=True)
    for program in elf_files(installed / "lib/batchscope"):
        if not any(name.startswith("libtorch") for name in needed(program)):
            shutil.copy(program, tree / "bin")
    for name in ["batchscope", "batchscope-desktop"]:
        if not (tree / "bin" / name).is_file():
            fail(f"{installed} has no {name}: build all first, with the window")
        (tree / name).symlink_to(f"bin/{name}")
    for recipe in (installed / "share/batchscope/recipes").iterdir():
        if (tree / "bin" / recipe.name).is_file():
            shutil.copytree(recipe, tree / "bin/recipes" / recipe.name)
    shutil.copytree(installed / "share/batchscope/page", tree / "share/batchscope/page")


def copy_plugins(tree):
    """Copies the plugins of Qt that our window loads."""
    folder = pathlib.Path(run("qtpaths6", "--query", "QT_INSTALL_PLUGINS").strip())
    for pattern in PLUGINS:
        for plugin in folder.glob(f"{pattern}.so"):
            place = tree / "plugins" / plugin.relative_to(folder)
            place.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(plugin, place)
    (tree / "bin/qt.conf").write_text("[Paths]\nPrefix = ..\n", encoding="utf-8")


def pack(tree, archive, moment):
    with archive.open("wb") as file:
        tar = subprocess.Popen(["tar", "--create", f"--directory={tree}", f"--transform=s,^\\.,{archive.name.split('.tar')[0]},S",
                                "--sort=name", "--owner=0", "--group=0", "--numeric-owner", f"--mtime=@{moment}", "--mode=go-w,a+rX", "."],
                               stdout=subprocess.PIPE)
        packed = subprocess.run(["xz", "--threads=1"], stdin=tar.stdout, stdout=file, check=False)
    if tar.wait() or packed.returncode:
        fail(f"cannot pack {tree} into {archive}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("folder", type=pathlib.Path)
    arguments = parser.parse_args()
    tree = arguments.folder.resolve() / "tree"
    shutil.rmtree(tree, ignore_errors=True)
    with tempfile.TemporaryDirectory() as installed:
        run("cmake", "--install", arguments.build, "--strip", "--component", "programs", "--prefix", installed)
        copy_programs(pathlib.Path(installed), tree)
    copy_plugins(tree)
    python = shutil.ignore_patterns("__pycache__", "*.pyc")
    for package in ["batchscope", "hook"]:
        shutil.copytree(ROOT / "engine/python" / package, tree / "bin/python" / package, ignore=python)
    copies = take_along(tree, tree / "lib", LEFT)
    copy_licences(copies.values(), tree / "licenses")
    (tree / "README").write_text(README.format(version=version()), encoding="utf-8")
    for old in arguments.folder.glob("*.tar.xz"):
        old.unlink()
    archive = arguments.folder / f"batchscope-{version()}-linux-{platform.machine()}.tar.xz"
    pack(tree, archive, os.environ.get("SOURCE_DATE_EPOCH", "0"))
    print(archive)


if __name__ == "__main__":
    main()
