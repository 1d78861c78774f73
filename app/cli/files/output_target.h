// SPDX-License-Identifier: Apache-2.0
//
// The target of a command's output, as a person names it. A file is written beside its name and renamed when
// it is complete. A device or a pipe is written directly. "-", /dev/stdout and the like are standard output.
// Links are followed first, and files of the run store are never a target.
#pragma once

#include <filesystem>
#include <string>

namespace batchscope::cli {

class OutputTarget {
 public:
  enum class Kind { file, stream, standardOutput };

  // Creates no file. Throws Error(conflict) if the name leads into the store.
  explicit OutputTarget(const std::string& name);

  Kind kind() const { return kind_; }
  const std::string& name() const { return name_; }  // as the person wrote it
  // Returns the absolute path; of a file or folder with links followed.
  const std::filesystem::path& path() const { return path_; }

  // Throws Error(usage), naming `what` is to be written, if the target is not a file or folder.
  void requirePlace(const std::string& what) const;
  // Throws Error(conflict) if something exists there that would be lost.
  void refuseExisting(bool force) const;
  // Checks what can be known without writing: throws Error(io) if the folder does not exist or may not be
  // written, Error(conflict) if the name is that of a folder.
  void requireWritable() const;

 private:
  std::string name_;
  Kind kind_ = Kind::file;
  std::filesystem::path path_;
};

}  // namespace batchscope::cli
