// SPDX-License-Identifier: Apache-2.0
//
// Where a person wants what a command makes. The name may be that of a file, which is made beside it and
// takes its place when it is complete; of a device or a pipe, whose place nothing may take, and which is
// written as it is; or "-", /dev/stdout or whatever else leads to standard output. Links are followed first,
// and what belongs to the run store is never a target.
#pragma once

#include <filesystem>
#include <string>

namespace batchscope::cli {

class OutputTarget {
 public:
  enum class Kind { file, stream, standardOutput };

  // Makes nothing. Throws Error(conflict) where the name leads into the store.
  explicit OutputTarget(const std::string& name);

  Kind kind() const { return kind_; }
  const std::string& name() const { return name_; }  // as the person wrote it
  // Absolute; of a file or folder with links followed.
  const std::filesystem::path& path() const { return path_; }

  // For what cannot be poured: throws Error(usage), with `what` it is, where the target is not a file or
  // folder.
  void requirePlace(const std::string& what) const;
  // Throws Error(conflict) where something is there that would be lost.
  void refuseExisting(bool force) const;
  // Checks as far as can be said without writing: throws Error(io) where the folder is not there or may not
  // be written, Error(conflict) where the name is that of a folder.
  void requireWritable() const;

 private:
  std::string name_;
  Kind kind_ = Kind::file;
  std::filesystem::path path_;
};

}  // namespace batchscope::cli
