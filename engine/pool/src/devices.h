// SPDX-License-Identifier: Apache-2.0
//
// The devices of a machine that a run may have from the pool, and how many. A run for any device gets GPUs
// where there are some.
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

// Devices of all its replicas: as many as each has times their number, or the range of it. max is at least
// min; where nobody said how many, it is as far as `devices` go.
struct DeviceRange {
  int min = 1;
  int max = 1;
};
DeviceRange device_range(const protocol::RunSpec& spec, int devices);

// Returns how many of these devices a run could have at once: those of one node where a replica has several.
int devices_at_once(const protocol::RunSpec& spec, const std::vector<std::string>& devices);

}  // namespace batchscope::pool
