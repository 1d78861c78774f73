// SPDX-License-Identifier: Apache-2.0
#include "devices/device_leases.h"

#include <algorithm>
#include <utility>

#include "batchscope/protocol/error.h"
#include "batchscope/run/node_devices.h"

namespace batchscope::run {

DeviceLeases::DeviceLeases(storage::Catalogue& catalogue, std::string run, Machine machine)
    : catalogue_(catalogue), run_(std::move(run)), machine_(std::move(machine)) {
  if (const auto of_run = catalogue_.run(run_))
    leased_.insert(of_run->devices.begin(), of_run->devices.end());
}

void DeviceLeases::use_nodes(Nodes nodes) {
  nodes_ = std::move(nodes);
  const auto is_gone = [this](const Place& place) {
    return !place.node.empty() && std::none_of(nodes_->others.begin(), nodes_->others.end(),
                                               [&](const Node& node) { return node.name == place.node; });
  };
  std::erase_if(taken_, [&](const auto& entry) {
    const auto& places = entry.second.places;
    return std::any_of(places.begin(), places.end(), is_gone);
  });
}

std::set<std::string> DeviceLeases::other_nodes() const {
  std::set<std::string> nodes;
  for (const std::string& device : leased_)
    if (std::string node = node_of_device(device); !node.empty()) nodes.insert(std::move(node));
  return nodes;
}

const Placement& DeviceLeases::take(const protocol::RunSpec& spec, const Allocation& allocation,
                                    int generation, const std::string& why) {
  if (const auto found = taken_.find(allocation); found != taken_.end()) return found->second;
  Placement placement;
  std::set<std::string> all = leased_;
  try {
    const auto choose = [&](const std::vector<storage::Lease>& of_others,
                            const std::vector<std::string>& own) {
      placement = place(spec, allocation, machine_, nodes_ ? &*nodes_ : nullptr, of_others, own);
      all.insert(placement.devices.begin(), placement.devices.end());
      return std::vector<std::string>(all.begin(), all.end());
    };
    catalogue_.lease_devices(run_, choose, generation, why);
    leased_ = std::move(all);
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::usage || error.kind() == ErrorKind::conflict) throw;
    // Cores are shared at worst: a full disk is not a reason not to train on them. GPUs would be shared by
    // accident.
    placement = place(spec, allocation, machine_, nodes_ ? &*nodes_ : nullptr, {});
    if (placement.places.front().visible_gpus) throw;
    on_trouble(std::string("cores are used without a lease: ") + error.what());
  }
  return taken_[allocation] = std::move(placement);
}

void DeviceLeases::keep(const std::set<Allocation>& allocations) {
  std::erase_if(taken_, [&](const auto& entry) { return !allocations.contains(entry.first); });
  std::set<std::string> needed;
  for (const auto& [allocation, placement] : taken_)
    needed.insert(placement.devices.begin(), placement.devices.end());
  if (needed == leased_) return;
  try {
    catalogue_.lease_devices(run_, [&](const auto&, const auto&) {
      return std::vector<std::string>(needed.begin(), needed.end());
    });
    leased_ = std::move(needed);
  } catch (const Error& error) {
    on_trouble(std::string("devices that this run no longer needs stay leased: ") + error.what());
  }
}

Machine DeviceLeases::free() const {
  try {
    std::vector<storage::Lease> of_others = catalogue_.leases();
    std::erase_if(of_others, [this](const storage::Lease& lease) { return lease.run == run_; });
    return free_devices(machine_, of_others);
  } catch (const Error&) {
    return machine_;
  }
}

Allocation DeviceLeases::as_taken(const Allocation& allocation) const {
  const auto as_set = [](const std::vector<std::string>& names) {
    return std::set<std::string>(names.begin(), names.end());
  };
  for (const auto& [taken, placement] : taken_)
    if (taken.replicas == allocation.replicas && as_set(placement.devices) == as_set(allocation.devices))
      return taken;
  return allocation;
}

std::vector<std::string> DeviceLeases::devices(const Allocation& allocation) const {
  const auto found = taken_.find(allocation);
  return found == taken_.end() ? std::vector<std::string>() : found->second.devices;
}

protocol::RunSpec DeviceLeases::placed(const protocol::RunSpec& spec) const {
  protocol::RunSpec placed = spec;
  if (spec.device != "auto") return placed;
  if (!kind_.empty())
    placed.device = kind_;
  else if (have_gpus())
    placed.device = "cuda";
  return placed;
}

bool DeviceLeases::learn_device(const protocol::RunSpec& spec, const std::string& device) {
  if (spec.device != "auto" || !kind_.empty() || !have_gpus()) return false;
  kind_ = device.starts_with("cuda") ? "cuda" : "cpu";
  return true;
}

bool DeviceLeases::have_gpus() const { return std::any_of(leased_.begin(), leased_.end(), is_gpu); }

}  // namespace batchscope::run
