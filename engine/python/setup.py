# SPDX-License-Identifier: Apache-2.0
"""The build for pip: the project's CMake builds the module batchscope._engine. All output is in build/wheel."""

import pathlib
import re
import shutil
import subprocess
import sys

import setuptools
import torch
from setuptools.command.build_ext import build_ext

PROJECT = pathlib.Path(__file__).resolve().parents[2]
PLACE = PROJECT / "build/wheel"


class Engine(build_ext):
    def build_extension(self, extension):
        subprocess.run(["cmake", "-S", PROJECT, "-B", PLACE / "engine", "-G", "Ninja", "-D", "CMAKE_BUILD_TYPE=Release",
                        "-D", "CMAKE_UNITY_BUILD=ON", "-D", "BATCHSCOPE_TORCH_ONLY=ON", "-D", f"BATCHSCOPE_PYTHON={sys.executable}",
                        "-D", f"CMAKE_PREFIX_PATH={torch.utils.cmake_prefix_path}"], check=True)
        subprocess.run(["cmake", "--build", PLACE / "engine", "--target", "batchscope_python"], check=True)
        built, = (PLACE / "engine/bin/python/batchscope").glob("_engine.*.so")
        target = pathlib.Path(self.get_ext_fullpath(extension.name))
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(built, target)
        shutil.copy(built.with_name("_engine_for.py"), target.parent)


PLACE.mkdir(parents=True, exist_ok=True)
setuptools.setup(
    version=re.search(r"project\(BatchScope VERSION (\S+)", (PROJECT / "CMakeLists.txt").read_text())[1],
    ext_modules=[setuptools.Extension("batchscope._engine", sources=[])], cmdclass={"build_ext": Engine},
    options={"build": {"build_base": str(PLACE)}, "egg_info": {"egg_base": str(PLACE)}})
