// SPDX-License-Identifier: Apache-2.0
//
// The bound on the local batch size that an earlier run of the same program has found, so that a new run need
// not fail to find it again.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "batchscope/protocol/run_spec.h"
#include "batchscope/storage/memory_bounds.h"

namespace batchscope::run {

struct EarlierBound {
  std::string run;  // that found it
  std::int64_t local_batch_size = 0;
};

// Returns what the newest run found that ran out of memory on the same kind of devices, all cores or all
// GPUs. `earlier`: runs of this program, newest first. An interpreter of Python counts as the script that it
// runs. None where a run has since trained with more samples at a time: there was more memory.
std::optional<EarlierBound> earlier_bound(std::span<const storage::MemoryBound> earlier,
                                          const protocol::RunSpec& spec,
                                          const std::vector<std::string>& devices);

}  // namespace batchscope::run
