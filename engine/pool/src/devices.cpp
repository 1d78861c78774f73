// SPDX-License-Identifier: Apache-2.0
#include "devices.h"

#include <algorithm>

namespace batchscope::pool {
namespace {

bool on_gpus(const protocol::RunSpec& spec, const run::Machine& machine) {
  return spec.device.starts_with("cuda") || (spec.device == "auto" && !machine.gpus.empty());
}

}  // namespace

const char* devices_kind(const protocol::RunSpec& spec, const run::Machine& machine) {
  return on_gpus(spec, machine) ? "GPU" : "core";
}

std::vector<std::string> devices_for(const protocol::RunSpec& spec, const run::Machine& machine) {
  return on_gpus(spec, machine) ? machine.gpus : machine.cores;
}

bool is_pools_choice(const std::string& device) {
  return device == "auto" || device == "cpu" || device == "cuda";
}

ReplicaRange replica_range(const protocol::RunSpec& spec, int devices) {
  if (!spec.auto_replicas) return {spec.replicas, spec.replicas};
  const int min = std::max(spec.auto_replicas->min, 1);
  return {min, std::max(spec.auto_replicas->max > 0 ? spec.auto_replicas->max : devices, min)};
}

}  // namespace batchscope::pool
