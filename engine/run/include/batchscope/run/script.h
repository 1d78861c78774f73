// SPDX-License-Identifier: Apache-2.0
/// \file
/// Python scripts in the place of a program.
#pragma once

#include <filesystem>
#include <string>

namespace batchscope::run {

/// Returns the interpreter of a Python script that does not name one itself: its name ends in .py, and it
/// cannot be executed. That is `PYTHON` of the environment, a path or a name in PATH, else /usr/bin/python3,
/// for which batchscope.torch is built. Empty for any other file, and where there is none.
std::string interpreter_of(const std::filesystem::path& file);

}  // namespace batchscope::run
