// SPDX-License-Identifier: Apache-2.0
/// \file
/// Our own programs, for those of them that start another.
#pragma once

#include <filesystem>
#include <string>

namespace batchscope::run {

/// Returns the path of one of our programs, such as "batchscope": in $BATCHSCOPE_BIN where that is set, else
/// beside the running one. Throws Error(not_found) where it is missing. Does not block.
std::filesystem::path own_program(const std::string& name);

}  // namespace batchscope::run
