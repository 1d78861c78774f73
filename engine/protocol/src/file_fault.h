// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstring>
#include <filesystem>
#include <string>

#include "batchscope/protocol/error.h"

namespace batchscope::protocol {

// Throws Error(io): "cannot `verb` `path`: " and what the system calls `error`, an errno.
[[noreturn]] inline void fail_to(const char* verb, const std::filesystem::path& path, int error) {
  throw Error(ErrorKind::io,
              std::string("cannot ") + verb + " " + path.string() + ": " + std::strerror(error));
}

}  // namespace batchscope::protocol
