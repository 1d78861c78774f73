// SPDX-License-Identifier: Apache-2.0
//
// The devices of a machine that a run may have from the pool, and how many: a device is a replica's. A run
// for any device gets GPUs where there are some.
#pragma once

#include <string>
#include <vector>

#include "batchscope/protocol/run_spec.h"
#include "batchscope/run/machine.h"

namespace batchscope::pool {

// "core" or "GPU".
const char* devices_kind(const protocol::RunSpec& spec, const run::Machine& machine);
// Returns the devices in the machine's order.
std::vector<std::string> devices_for(const protocol::RunSpec& spec, const run::Machine& machine);

// Whether the pool may choose among devices of this kind: one that is named is a person's choice.
bool is_pools_choice(const std::string& device);

// Replicas; max is at least 1, and 0 has become `devices`.
struct ReplicaRange {
  int min = 1;
  int max = 1;
};
ReplicaRange replica_range(const protocol::RunSpec& spec, int devices);

}  // namespace batchscope::pool
