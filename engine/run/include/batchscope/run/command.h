// SPDX-License-Identifier: Apache-2.0
/// \file
/// The command line, for programs that have it do something.
#pragma once

#include <filesystem>

namespace batchscope::run {

/// The program `batchscope`: in $BATCHSCOPE_BIN where that is set, else beside the running one. Throws
/// Error(not_found) where it is missing.
std::filesystem::path command_program();

}  // namespace batchscope::run
