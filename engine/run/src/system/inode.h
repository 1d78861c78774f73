// SPDX-License-Identifier: Apache-2.0
//
// The identity of the file that a path leads to: a file that was removed and made again under the same name
// is another.
#pragma once

#include <sys/stat.h>

#include <cerrno>
#include <filesystem>

namespace batchscope::run {

struct Inode {
  dev_t device = 0;
  ino_t number = 0;

  bool operator==(const Inode&) const = default;
};

// Returns the inode of the name itself, not of what a link leads to. None, {0, 0}, where there is no such
// file.
inline Inode inode_of(const std::filesystem::path& path) {
  struct stat info {};
  return lstat(path.c_str(), &info) == 0 ? Inode{info.st_dev, info.st_ino} : Inode{};
}

// Whether another file lies there than this, or none. What cannot be seen is taken to be there yet.
inline bool was_removed(const std::filesystem::path& path, const Inode& file) {
  struct stat info {};
  if (lstat(path.c_str(), &info) == 0) return Inode{info.st_dev, info.st_ino} != file;
  return errno == ENOENT || errno == ENOTDIR;
}

}  // namespace batchscope::run
