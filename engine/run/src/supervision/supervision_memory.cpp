// SPDX-License-Identifier: Apache-2.0
//
// How many samples at a time memory holds: what an earlier run found, and what this run finds out.
#include <fmt/format.h>

#include <algorithm>

#include "batchscope/protocol/error.h"
#include "batchscope/protocol/paths.h"
#include "batchscope/storage/memory_bounds.h"
#include "supervision/earlier_bound.h"
#include "supervision/supervision.h"

namespace batchscope::run {

// Takes the bound of an earlier run, where nobody has said one for this run.
void Supervision::take_earlier_bound(const Placement& placement) {
  if (spec_.max_local_batch_size > 0) return;
  try {
    const auto bounds = storage::memory_bounds(protocol::catalogue_path(), spec_.program);
    const auto found = earlier_bound(bounds, spec_, placement.devices);
    if (!found) return;
    spec_.max_local_batch_size = found->local_batch_size;
    recorder_.spec(spec_);
    tell("info", fmt::format("local batch size at most {}, as run {} found when it ran out of memory; "
                             "--max-local-batch-size N tries another bound",
                             fmt::group_digits(found->local_batch_size), found->run));
  } catch (const Error&) {
    // This run finds it out by itself, then.
  }
}

// Where a new number of replicas has no memory for what fitted on the old one, not the samples are too many
// but the replicas.
std::string Supervision::lower_local_batch_size(std::int64_t local) {
  // A program that does not heed the bound fails above it.
  const std::int64_t failed =
      spec_.max_local_batch_size > 0 ? std::min(local, spec_.max_local_batch_size) : local;
  const std::int64_t bound = std::max(memory_limit_.ran_out(failed), current_.fitted_elsewhere());
  if (bound == 0 || bound >= local) return {};
  spec_.max_local_batch_size = bound;
  recorder_.spec(spec_);
  return fmt::format("it was working on {} samples at a time, and gets at most {} from now on", local, bound);
}

}  // namespace batchscope::run
