// SPDX-License-Identifier: Apache-2.0
//
// The directory that holds one program's checkpoints: which to start from, how a new one comes about, which
// old ones go. Knows files, not replicas (engine/protocol/CHECKPOINT.md is the format).
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "batchscope/protocol/manifest.h"

namespace batchscope::replica {

class CheckpointStore {
 public:
  // Makes the store of a folder of checkpoints, with the run's place in memory, empty where it has none, and
  // the checkpoints, by name with the reason, that could not be loaded before.
  explicit CheckpointStore(std::filesystem::path directory, std::filesystem::path memory = {},
                           std::map<std::string, std::string> unloadable = {})
      : directory_(std::move(directory)), memory_(std::move(memory)), unloadable_(std::move(unloadable)) {}

  const std::filesystem::path& directory() const { return directory_; }

  // The newest that verifies; why newer ones were skipped goes to `skipped`.
  std::optional<std::filesystem::path> newest(std::vector<std::string>* skipped);

  struct File {
    std::string name;
    std::function<void(std::ostream&)> save;
  };
  // Makes the next one: written beside its final name, every file fsynced, renamed. Then removes what is
  // older than the last two, not counting pinned ones and those that newest() skipped, and half-written ones.
  // Throws Error(io), or what a save threw; the checkpoints before it stay. `manifest.files` is filled in.
  std::filesystem::path write(protocol::Manifest& manifest, const std::vector<File>& files) const;

  // The same as a volatile checkpoint (protocol's volatile_checkpoint.h), which waits for no disk. Empty
  // where there is no room for it in memory; then nothing has changed. Throws what a save threw.
  std::optional<std::filesystem::path> write_in_memory(protocol::Manifest& manifest,
                                                       const std::vector<File>& files) const;

 private:
  void prepare() const;
  std::filesystem::path next_name() const;
  void remove_half_written() const;

  const std::filesystem::path directory_, memory_;
  const std::map<std::string, std::string> unloadable_;
  std::set<std::filesystem::path> damaged_;  // known since newest(); kept, for a person to look at
};

}  // namespace batchscope::replica
