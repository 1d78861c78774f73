// SPDX-License-Identifier: Apache-2.0
#include "adapt/branching.h"

#include <fmt/core.h>

#include <cstdlib>
#include <string>

#include "batchscope/protocol/error.h"
#include "process/process.h"
#include "process/session.h"

namespace batchscope::replica {

BatchShape branch_shape(std::int64_t batch_size, int replicas, const goodput::Bounds& limits,
                        bool accumulates, std::int64_t dataset_size) {
  const auto refuse = [&](const std::string& why) {
    throw Error(ErrorKind::usage, fmt::format("a branch of batch size {}: {}", batch_size, why));
  };
  if (batch_size > dataset_size)
    refuse(fmt::format("the data have {} samples, and a step does not cross a pass", dataset_size));
  if (batch_size % replicas != 0)
    refuse(fmt::format("it cannot be shared evenly among {} replicas", replicas));
  const std::int64_t share = batch_size / replicas;
  std::int64_t parts = 1;
  if (limits.max_local > 0)
    while (share % parts != 0 || share / parts > limits.max_local) ++parts;
  if (parts > 1 && !accumulates)
    refuse(
        fmt::format("a replica's share, {} samples, is above the largest local batch size, {}, and the "
                    "program does not allow accumulation: take smaller sizes, or more replicas",
                    share, limits.max_local));
  if (share / parts < limits.min_local)
    refuse(
        fmt::format("a micro-batch of {} samples is below the smallest local batch size, {}: take larger "
                    "sizes, or fewer replicas",
                    share / parts, limits.min_local));
  return {share / parts, static_cast<int>(parts) - 1};
}

Branching::Branching() {
  const char* text = std::getenv(protocol::variable::kBranch);
  if (!text || !*text) return;
  branch_ = protocol::Branch::parse(text);
  checkpoint::load_state(used_.emplace(process().environment.job_id));
}

Branching& branching() { return session().part<Branching>(); }

}  // namespace batchscope::replica
