// SPDX-License-Identifier: Apache-2.0
/// \file
/// Opening a checkpoint that nobody else can have made or changed. A checkpoint is loaded into a process of
/// this user, and other users of the machine can make folders in /dev/shm, in /tmp and wherever a folder is
/// open to them (engine/protocol/THREATS.md). So nothing is read from a checkpoint whose folder belongs to
/// another user or may be written by one, and of the links that stand in a checkpoint's place one alone is
/// followed: to the run's own place in memory, which has to be this user's alone. All of that is asked of
/// descriptors, through which the files are read afterwards: what is put in the folder's place in between is
/// not what is read.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

namespace batchscope::protocol {

/// Whether it is a link to the same name below `memory`, whatever is there; `memory` is the run's place in
/// memory, empty where it has none.
bool is_volatile(const std::filesystem::path& checkpoint, const std::filesystem::path& memory);

/// A checkpoint's folder, held open.
class CheckpointFolder {
 public:
  /// `memory`: where the run's checkpoints in memory lie (RunPaths::memory); empty: nowhere. Throws
  /// Error(not_found) where there is none, Error(corrupt) for one that is not to be trusted, Error(io).
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
  /// Throws Error(not_found) where there is none, Error(corrupt) where there is something else or somebody
  /// else's, Error(io). `name` is a plain file name.
  File file(const std::string& name) const;

 private:
  std::filesystem::path path_;
  bool in_memory_ = false;
  int descriptor_ = -1;
};

}  // namespace batchscope::protocol
