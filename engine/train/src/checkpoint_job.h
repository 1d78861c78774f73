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

  // Once it is on disk, sends the ledger's entries and tells of the checkpoint. Throws what the store throws;
  // the entries are held again then, for the next checkpoint.
  // `memory`: where it is written if there is room; empty: to disk. A volatile one counts as written.
  std::filesystem::path write(const CheckpointStore& store, const std::filesystem::path& memory = {});

 private:
  protocol::Manifest manifest_;
  protocol::CheckpointWritten message_;
  std::vector<CheckpointStore::File> files_;
};

}  // namespace batchscope
