// SPDX-License-Identifier: Apache-2.0
//
// One writer at a time: a lock on the folder of the file. The kernel takes it back when its process
// ends, however it ends. (Not on the file itself: closing any descriptor of a database would drop the
// locks that SQLite holds on it.)
#pragma once

#include <filesystem>

namespace batchscope::storage {

class FolderLock {
 public:
  // Makes the folder. Throws Error(conflict) where another writer has it, Error(io).
  explicit FolderLock(const std::filesystem::path& folder);
  ~FolderLock();
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;

 private:
  int descriptor_ = -1;
};

}  // namespace batchscope::storage
