# SPDX-License-Identifier: Apache-2.0
"""Handwritten digits as tensors: MNIST's own files, or the set that ../digits draws, in files of the same form."""

import gzip
import pathlib
import shutil
import subprocess

import batchscope
import torch


def drawn():
    """Returns the folder of the drawn set. If there is none, the program draw_digits draws it, in about a second. The program is
    beside the package `batchscope` in a build, inside the package in a wheel, and in /usr/lib/batchscope if it is installed."""
    package = pathlib.Path(batchscope.__file__).resolve().parent
    program = shutil.which("draw_digits", path=f"{package}/_installed/bin:{package.parents[1]}:/usr/lib/batchscope")
    if not program:
        raise FileNotFoundError("the program draw_digits, which draws the digits, is not built and not installed: ./dev python "
                                "builds it, and --data FOLDER takes MNIST's files instead")
    return pathlib.Path(subprocess.run([program], check=True, stdout=subprocess.PIPE, text=True).stdout.strip())


def read(folder, part):
    """Reads images as bytes [n, 28, 28], and labels [n], of "train" or "t10k"; plain or gzipped files."""
    images = _bytes(folder, f"{part}-images-idx3-ubyte", header=16).view(-1, 28, 28)
    return images, _bytes(folder, f"{part}-labels-idx1-ubyte", header=8).long()


def _bytes(folder, name, header):
    plain = pathlib.Path(folder) / name
    with open(plain, "rb") if plain.exists() else gzip.open(f"{plain}.gz") as file:
        return torch.frombuffer(bytearray(file.read()), dtype=torch.uint8, offset=header)
