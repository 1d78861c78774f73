// SPDX-License-Identifier: Apache-2.0
//
// Where our own programs are found.
#pragma once

#include <filesystem>
#include <string>

namespace batchscope::run {

// $BATCHSCOPE_BIN where it is set, else the folder of the running executable.
std::filesystem::path program_directory();

// The folder by which a Python program reports to us (engine/python/hook): this build's, else the
// installation's; empty where neither is there.
std::filesystem::path python_hook();

// A file that can be executed.
bool is_executable(const std::filesystem::path& file);

}  // namespace batchscope::run
