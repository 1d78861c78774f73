// SPDX-License-Identifier: Apache-2.0
#include "node_demand.h"

#include <algorithm>

#include "batchscope/run/node_devices.h"
#include "devices.h"

namespace batchscope::pool {
namespace {

constexpr double kLongestPatienceWithoutRuns = 300;  // s

bool needs_devices(const Member& member) { return member.job && member.standing != Standing::outside; }

// GPUs where a run is to have some, as the advice.
const std::vector<std::string>& devices_that_count(const World& world) {
  const bool gpus = std::any_of(world.members.begin(), world.members.end(), [&](const Member& member) {
    return needs_devices(member) && devices_kind(member.run.spec, world.machine) == std::string("GPU");
  });
  return gpus ? world.machine.gpus : world.machine.cores;
}

std::map<std::string, int> devices_by_node(const World& world) {
  std::map<std::string, int> counts;
  for (const std::string& device : devices_that_count(world)) ++counts[run::node_of_device(device)];
  return counts;
}

}  // namespace

int nodes_worth_having(const World& world, int advised, int of_node) {
  int least = 0;
  for (const Member& member : world.members)
    if (needs_devices(member)) least += device_range(member.run.spec, 0).min;
  if (least == 0) return 0;
  const bool by_price = world.settings.price_per_device_hour > 0 && advised > 0;
  int devices = by_price ? advised : std::max(advised, least);
  if (world.settings.devices > 0) devices = std::min(devices, world.settings.devices);
  const int missing = devices - devices_by_node(world)[""];
  if (missing <= 0) return 0;
  return of_node > 0 ? (missing + of_node - 1) / of_node : 1;
}

std::set<std::string> nodes_in_use(const World& world,
                                   const std::map<std::string, std::vector<std::string>>& targets) {
  std::set<std::string> nodes;
  const auto add = [&](const std::vector<std::string>& devices) {
    for (const std::string& device : devices) nodes.insert(run::node_of_device(device));
  };
  for (const Member& member : world.members) {
    add(member.held);
    add(member.reserved);
  }
  for (const auto& [run, devices] : targets) add(devices);
  nodes.erase("");
  return nodes;
}

int NodeDemand::update(const World& world, int advised, int present, double now) {
  for (const auto& [node, count] : devices_by_node(world))
    if (!node.empty()) of_node_ = std::max(of_node_, count);
  const int worth = nodes_worth_having(world, advised, of_node_);
  const double patience = worth > 0 ? patience_ : std::min(patience_, kLongestPatienceWithoutRuns);
  const int before = wanted_.value_or(present);
  const bool nothing_to_keep = worth == 0 && present == 0;
  const bool falls = worth < before && !nothing_to_keep;
  if (falls && !wanted_) lower_since_ = now;
  if (falls && now - lower_since_ < patience) {
    highest_lower_ = std::max(highest_lower_, worth);
    return wanted_.emplace(before);
  }
  wanted_ = falls ? std::max(highest_lower_, worth) : worth;
  highest_lower_ = 0;
  lower_since_ = now;
  return *wanted_;
}

}  // namespace batchscope::pool
