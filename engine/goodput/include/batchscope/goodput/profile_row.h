// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace batchscope::goodput {

/// Times measured in one configuration.
struct ProfileRow {
  int num_nodes = 1;                  ///< machines, at least 1
  int num_replicas = 1;               ///< over all machines, at least num_nodes
  std::int64_t local_batch_size = 1;  ///< samples of one replica's micro-batch
  double accumulation_step_time = 0;  ///< s, of a micro-batch without synchronisation
  double optimizer_step_time = 0;     ///< s, of the micro-batch that synchronises and updates
  int cores = 0;                      ///< that each replica computes with; 0: unknown
  int neighbours = 0;                 ///< replicas on one node at a time, this one included; 0: unknown
  double weight = 1;                  ///< of the row in the fit, positive
  double age = 0;                     ///< share of all that was measured which came after it, 0 to 1
};

}  // namespace batchscope::goodput
