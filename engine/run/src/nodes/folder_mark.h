// SPDX-License-Identifier: Apache-2.0
//
// A file beside a run's checkpoints, of a name that nobody can guess, by which an agent finds out whether its
// node sees this folder: another disk may have a folder of the same path.
#pragma once

#include <filesystem>

namespace batchscope::run {

class FolderMark {
 public:
  // Makes it, and removes what supervisors left that were killed. Throws Error(io).
  explicit FolderMark(const std::filesystem::path& folder);
  ~FolderMark();
  FolderMark(const FolderMark&) = delete;
  FolderMark& operator=(const FolderMark&) = delete;

  // Returns its path, by the folder's real one: the run's may be a link on this node.
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace batchscope::run
