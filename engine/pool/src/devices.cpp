// SPDX-License-Identifier: Apache-2.0
#include "devices.h"

#include <algorithm>
#include <map>

#include "batchscope/run/node_devices.h"

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

DeviceRange device_range(const protocol::RunSpec& spec, int devices) {
  const int of_each = spec.devices_of_each();
  if (!spec.auto_replicas) return {spec.replicas * of_each, spec.replicas * of_each};
  const int min = std::max(spec.auto_replicas->min, 1) * of_each;
  return {min, std::max(spec.auto_replicas->max > 0 ? spec.auto_replicas->max * of_each : devices, min)};
}

int devices_at_once(const protocol::RunSpec& spec, const std::vector<std::string>& devices) {
  if (spec.devices_of_each() == 1) return static_cast<int>(devices.size());
  std::map<std::string, int> counts;
  int most = 0;
  for (const std::string& device : devices) most = std::max(most, ++counts[run::node_of_device(device)]);
  return most;
}

}  // namespace batchscope::pool
