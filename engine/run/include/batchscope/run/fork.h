// SPDX-License-Identifier: Apache-2.0
/// \file
/// Forking: a new run begins where another one was at a checkpoint. The other run is left as it is, whether
/// it goes on, has failed or is finished.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "batchscope/storage/catalogue.h"

namespace batchscope::run {

/// The differences of a fork from the run it comes from. It has no scripted events.
struct ForkOptions {
  std::string checkpoint;  ///< "checkpoint-000003" or its number, "3"; empty: the newest good one
  std::string name;        ///< empty: "NAME fork"
  int replicas = 0;        ///< 0: as many as the other had last
  std::optional<std::vector<std::string>> arguments;  ///< of the program; none: the same
};

/// A checkpoint that was copied.
struct LaidCheckpoint {
  std::string name;       ///< "checkpoint-000003"
  std::int64_t step = 0;  ///< after which it was written
};

/// Copies a checkpoint of the run (ForkOptions::checkpoint says which) into this folder, which is made, with
/// an empty ledger. Blocks on the copy. Throws as fork_run does for the checkpoint.
LaidCheckpoint copy_checkpoint(const std::string& run, const std::string& checkpoint,
                               const std::filesystem::path& folder);

/// Puts a copy of a checkpoint of the run `from` (ForkOptions::checkpoint says which) into the folder of a
/// run that has not begun, which then begins there. Its ledger is empty. Blocks on the copy, which is on disk
/// when it returns. Throws as fork_run does for the checkpoint. Returns the step after which it was written.
std::int64_t lay_checkpoint(const std::string& from, const std::string& checkpoint, const std::string& to);

/// Makes the new run with a copy of the checkpoint on disk, pinned, and starts its supervisor; its first step
/// is the one after the checkpoint's. The ledger begins there too: samples consumed before belong to the
/// other run. The folder that the other run's replicas share is not copied. Blocks as start_run, and on the
/// copy. Returns the new run's id. Throws Error(not_found) listing the checkpoints there are, Error(corrupt)
/// naming what is damaged, what start_run throws, and Error(io) where the copy cannot be written. Then the
/// new run does not exist, or has failed and says why.
std::string fork_run(storage::Catalogue& catalogue, const std::string& id, const ForkOptions& options = {});

}  // namespace batchscope::run
