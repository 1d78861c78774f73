// SPDX-License-Identifier: Apache-2.0
//
// One checkpoint on its way to the disk. What is said of it (step, epoch, progress, the ledger's entries that
// it makes last) is taken when it is made, after the step that it holds; writing it may take its time on
// another thread.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "batchscope/protocol/telemetry.h"
#include "checkpoint_store.h"

namespace batchscope {

class CheckpointJob {
 public:
  CheckpointJob(const std::string& reason, std::vector<CheckpointStore::File> files);

  // Where it is written, and where that cannot be.
  enum class Place { disk, memory_or_disk, disk_or_memory };

  // Once it is there, sends the ledger's entries and tells of the checkpoint. Throws what the store throws;
  // the entries are held again then, for the next checkpoint. A volatile one, below `memory`, counts as
  // written; an empty `memory` leaves the disk.
  std::filesystem::path write(const CheckpointStore& store, Place place = Place::disk,
                              const std::filesystem::path& memory = {});

 private:
  std::filesystem::path write_at(const CheckpointStore& store, Place place,
                                 const std::filesystem::path& memory);

  protocol::Manifest manifest_;
  protocol::CheckpointWritten message_;
  std::vector<CheckpointStore::File> files_;
};

}  // namespace batchscope
