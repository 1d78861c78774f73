// SPDX-License-Identifier: Apache-2.0
/// \file
/// Branches (protocol/branch.h): the runs that find out up to which batch size training loses nothing, as
/// specs for the queue. The run that they come from is left as it is.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "batchscope/protocol/branch.h"
#include "batchscope/storage/catalogue.h"

namespace batchscope::run {

/// Steps that each branch makes at the least.
inline constexpr std::int64_t kLeastBranchSteps = 16;

/// The branches to make of a checkpoint.
struct BranchOptions {
  std::string checkpoint;                             ///< as ForkOptions::checkpoint
  std::vector<std::int64_t> batch_sizes;              ///< at least two, ascending
  std::int64_t samples = 0;                           ///< that each trains over
  std::string metric = "loss";                        ///< Branch::metric
  std::optional<double> tolerance = {};               ///< Branch::tolerance
  int replicas = 0;                                   ///< 0: as many as the run had last
  std::optional<std::vector<std::string>> arguments;  ///< of the program; none: the run's
};

/// Reads "32..1024", both ends and the powers of two between them, or "32,48,64". Returns them ascending,
/// each once. Throws Error(usage) for anything else, and for fewer than two sizes.
std::vector<std::int64_t> parse_batch_sizes(const std::string& text);

/// Returns the spec of each branch, by batch size, with its protocol::Branch in the environment; all are in
/// one group of a name that no other has. The number of samples is rounded up to whole steps of the
/// largest size. Throws as fork_run does for the run and the checkpoint; Error(conflict) where no adaptive
/// loader wrote the checkpoint, and so nothing would keep the batch size; Error(usage) for a size that the
/// run's loader cannot have, as far as that is known, and for too few samples.
std::vector<protocol::RunSpec> branch_specs(storage::Catalogue& catalogue, const std::string& id,
                                            const BranchOptions& options);

}  // namespace batchscope::run
