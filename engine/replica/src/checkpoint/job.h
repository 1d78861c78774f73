// SPDX-License-Identifier: Apache-2.0
//
// One checkpoint on its way to the disk. What is said of it (step, epoch, progress, the ledger) is taken when
// it is made, after the step that it holds; writing it may take its time on another thread.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "batchscope/protocol/telemetry.h"
#include "checkpoint/store.h"

namespace batchscope::replica {

// How far training is: what a checkpoint says of itself.
struct TrainingProgress {
  std::int64_t step = 0;
  int epoch = 0;  // finished ones
  double progress = 0;
  double last_step = 0;  // monotonic seconds
};
void set_training_progress(std::function<TrainingProgress()> now);  // asked when a checkpoint is made

class CheckpointJob {
 public:
  CheckpointJob(const std::string& reason, std::vector<CheckpointStore::File> files);

  // Where it is written, and where that cannot be.
  enum class Place { disk, memory_or_disk, disk_or_memory };

  // Once it is there, sends the ledger's entries that it makes last and tells of the checkpoint. Throws what
  // the store throws; the entries are queued again then, for the next checkpoint. A volatile one counts as
  // written.
  std::filesystem::path write(const CheckpointStore& store, Place place = Place::disk);

 private:
  std::filesystem::path write_at(const CheckpointStore& store, Place place);

  protocol::Manifest manifest_;
  std::vector<protocol::LedgerEntry> untold_;  // of its ledger: the supervisor does not know these
  protocol::CheckpointWritten message_;
  std::vector<CheckpointStore::File> files_;
};

}  // namespace batchscope::replica
