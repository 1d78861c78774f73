// SPDX-License-Identifier: Apache-2.0
//
// A program as a file: whether it knows the fork server's protocol, which an ELF note says (protocol's
// fork_server.h), whether it is Python's, and whether it is still the same one.
#pragma once

#include <sys/types.h>

#include <filesystem>

namespace batchscope::run {

// False for anything that is not an ELF program with the note: a script, a program without our engine,
// nothing.
bool knows_fork_server(const std::filesystem::path& program);

// Returns whether the name is that of an interpreter of Python, or of a script.
bool is_python(const std::filesystem::path& program);

// Identity of a program's file, which changes when it is built anew. All zero where there is no such file.
struct FileIdentity {
  dev_t device = 0;
  ino_t inode = 0;
  off_t size = 0;
  time_t seconds = 0;
  long nanoseconds = 0;

  bool operator==(const FileIdentity&) const = default;
};
FileIdentity identify(const std::filesystem::path& file);

}  // namespace batchscope::run
