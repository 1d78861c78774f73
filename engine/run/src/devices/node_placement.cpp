// SPDX-License-Identifier: Apache-2.0
#include "devices/node_placement.h"

#include <fmt/format.h>

#include <algorithm>

#include "batchscope/protocol/error.h"
#include "batchscope/run/node_devices.h"
#include "words.h"

namespace batchscope::run {
namespace {

// Returns the leases of one node's devices, by the names that it gives them.
std::vector<storage::Lease> leases_of(const std::string& prefix, const std::vector<storage::Lease>& leases) {
  std::vector<storage::Lease> own;
  for (const storage::Lease& lease : leases)
    if (lease.device.starts_with(prefix))
      own.push_back({lease.device.substr(prefix.size()), lease.run, lease.name, lease.queued});
  return own;
}

// One more node's share.
void append(Placement& whole, const std::string& node, const Placement& share) {
  for (Place place : share.places) {
    place.node = node;
    whole.places.push_back(place);
  }
  for (const std::string& device : share.devices) whole.devices.push_back(node + "/" + device);
  if (!share.warning.empty())
    whole.warning += (whole.warning.empty() ? "" : "; ") + ("on node " + node + ": " + share.warning);
}

std::vector<std::string> names_on(const std::string& node, const std::vector<std::string>& devices) {
  std::vector<std::string> names;
  for (const std::string& device : devices)
    if (node_of_device(device) == node)
      names.push_back(node.empty() ? device : device.substr(node.size() + 1));
  return names;
}

bool all_here(const std::vector<std::string>& devices) {
  return std::all_of(devices.begin(), devices.end(),
                     [](const std::string& device) { return node_of_device(device).empty(); });
}

// Replicas reduce in one group: where some have no GPU to themselves, none uses NCCL.
void agree_on_backend(Placement& placement) {
  const auto differs = [&](const Place& place) { return place.backend != placement.places.front().backend; };
  if (std::none_of(placement.places.begin(), placement.places.end(), differs)) return;
  for (Place& place : placement.places) place.backend = "gloo";
}

// A replica on each of the devices that are named, or on so many of them as it is to have.
Placement place_named(const protocol::RunSpec& spec, const Allocation& allocation, const Machine& machine,
                      const Nodes* nodes, const std::vector<storage::Lease>& of_others,
                      const std::vector<std::string>& own) {
  const std::vector<std::string>& named = allocation.devices;
  const int of_each = spec.devices_of_each();
  if (allocation.replicas * of_each != static_cast<int>(named.size()))
    throw Error(ErrorKind::usage, fmt::format("{} on {} devices of several nodes: each replica needs {} "
                                              "of its own there; name {} for each",
                                              replica_count_text(allocation.replicas), named.size(),
                                              of_each == 1 ? "a device" : fmt::format("{} devices", of_each),
                                              of_each == 1 ? "one" : fmt::format("{}", of_each)));
  for (const std::string& device : named) {
    const std::string node = node_of_device(device);
    const bool there =
        node.empty() || (nodes && std::any_of(nodes->others.begin(), nodes->others.end(),
                                              [&](const Node& one) { return one.name == node; }));
    if (!there)
      throw Error(ErrorKind::conflict,
                  fmt::format("{} cannot be used: node {} is not there ({})", device, node,
                              "the run has no agent on it; batchscope show RUN says why"));
  }
  Placement placement;
  if (const auto here = names_on("", named); !here.empty())
    placement = place(spec, Allocation(0, here, of_each), machine, of_others, own);
  for (const Node& node : nodes->others) {
    const auto names = names_on(node.name, named);
    if (names.empty()) continue;
    try {
      append(placement, node.name,
             place(spec, Allocation(0, names, of_each), node.machine, leases_of(node.name + "/", of_others),
                   names_on(node.name, own)));
    } catch (const Error& error) {
      throw Error(error.kind(), "node " + node.name + ": " + error.what());
    }
  }
  agree_on_backend(placement);
  return placement;
}

}  // namespace

std::vector<std::string> devices_to_lease(const protocol::RunSpec& spec, const Allocation& allocation,
                                          const Machine& machine,
                                          const std::vector<storage::Lease>& of_others,
                                          const std::vector<std::string>& own) {
  if (all_here(allocation.devices)) return place(spec, allocation, machine, of_others, own).devices;
  if (const auto here = names_on("", allocation.devices); !here.empty())
    place(spec, Allocation(0, here, spec.devices_of_each()), machine, of_others, own);
  for (const storage::Lease& lease : of_others)
    if (!node_of_device(lease.device).empty() &&
        std::find(allocation.devices.begin(), allocation.devices.end(), lease.device) !=
            allocation.devices.end() &&
        std::find(own.begin(), own.end(), lease.device) == own.end())
      throw Error(ErrorKind::conflict, fmt::format("devices are held by another run: {} by run {} ({})",
                                                   lease.device, lease.name, lease.run));
  return allocation.devices;
}

Placement place(const protocol::RunSpec& spec, const Allocation& allocation, const Machine& machine,
                const Nodes* nodes, const std::vector<storage::Lease>& of_others,
                const std::vector<std::string>& own) {
  if (!all_here(allocation.devices)) return place_named(spec, allocation, machine, nodes, of_others, own);
  const bool stays = !nodes || nodes->replicas_per_node == 0 || !allocation.devices.empty();
  if (stays || allocation.replicas <= nodes->replicas_per_node)
    return place(spec, allocation, machine, of_others, own);
  const int all = 1 + static_cast<int>(nodes->others.size());
  if (allocation.replicas > nodes->most_replicas())
    throw Error(
        ErrorKind::conflict,
        fmt::format("{} on {} {} with {} each: at most {}", replica_count_text(allocation.replicas), all,
                    all == 1 ? "node" : "nodes", nodes->replicas_per_node, nodes->most_replicas()));
  Placement placement = place(spec, nodes->replicas_per_node, machine, of_others);
  int left = allocation.replicas - nodes->replicas_per_node;
  for (const Node& node : nodes->others) {
    if (left <= 0) break;
    const int share = std::min(left, nodes->replicas_per_node);
    try {
      append(placement, node.name, place(spec, share, node.machine, leases_of(node.name + "/", of_others)));
    } catch (const Error& error) {
      throw Error(error.kind(), "node " + node.name + ": " + error.what());
    }
    left -= share;
  }
  agree_on_backend(placement);
  return placement;
}

}  // namespace batchscope::run
