// SPDX-License-Identifier: Apache-2.0
/// \file
/// Opening a checkpoint that nobody else can have made or changed. A checkpoint is loaded into a process of
/// this user, and other users of the machine can make folders in /dev/shm, in /tmp and wherever a folder is
/// open to them (engine/protocol/THREATS.md). So nothing is read from a checkpoint if its folder belongs to
/// another user or another user may write it. Of links in a checkpoint's place, only one to the run's own
/// place in memory is followed, which must belong to this user alone. All of that is checked on descriptors,
/// through which the files are read afterwards, so that a folder that is put in the place of the first in
/// between is not read.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

namespace batchscope::protocol {

/// Returns whether it is a link to the same name below `memory`, whatever is there; `memory` is the run's
/// place in memory, empty where it has none.
bool is_volatile(const std::filesystem::path& checkpoint, const std::filesystem::path& memory);

/// A checkpoint's folder, held open.
class CheckpointFolder {
 public:
  /// `memory`: where the run's checkpoints in memory lie (RunPaths::memory); empty: nowhere. Throws
  /// Error(not_found) where there is no checkpoint, Error(corrupt) for one that is not to be trusted,
  /// Error(io).
  explicit CheckpointFolder(const std::filesystem::path& checkpoint,
                            const std::filesystem::path& memory = {});
  ~CheckpointFolder();
  CheckpointFolder(const CheckpointFolder&) = delete;
  CheckpointFolder& operator=(const CheckpointFolder&) = delete;

  bool in_memory() const { return in_memory_; }  ///< a link led to it

  /// A file of it.
  struct File {
    std::filesystem::path path;  ///< through the open folder: for this process, while this object lives
    std::int64_t bytes = 0;      ///< its size
  };
  /// Returns the file of this plain name. Throws Error(not_found) where there is none, Error(corrupt) for
  /// something else or another user's file, Error(io).
  File file(const std::string& name) const;

 private:
  std::filesystem::path path_;
  bool in_memory_ = false;
  int descriptor_ = -1;
};

}  // namespace batchscope::protocol
