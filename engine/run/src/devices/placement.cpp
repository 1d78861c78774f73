// SPDX-License-Identifier: Apache-2.0
#include "devices/placement.h"

#include <fmt/format.h>
#include <algorithm>
#include <set>

#include "batchscope/protocol/error.h"
#include "batchscope/run/node_devices.h"
#include "batchscope/run/pool.h"
#include "words.h"

namespace batchscope::run {
namespace {

using Devices = std::vector<std::string>;

bool is_free(const std::string& device, const std::vector<storage::Lease>& of_others) {
  return std::none_of(of_others.begin(), of_others.end(),
                      [&](const storage::Lease& lease) { return lease.device == device; });
}

// The free ones first, then those that others have; each in the machine's order.
struct Supply {
  Devices devices;
  std::size_t free = 0;

  Supply(const Devices& all, const std::vector<storage::Lease>& of_others) : devices(all) {
    const auto taken = std::stable_partition(devices.begin(), devices.end(), [&](const std::string& device) {
      return is_free(device, of_others);
    });
    free = static_cast<std::size_t>(taken - devices.begin());
  }

  Devices first(std::size_t count) const {
    return {devices.begin(), devices.begin() + static_cast<std::ptrdiff_t>(std::min(count, devices.size()))};
  }
};

// "run digits (k3j2h1g0), run cifar (a1b2c3d4) of the queue": those that have some of these devices.
std::string holders(const Devices& devices, const std::vector<storage::Lease>& leases) {
  std::string text;
  std::set<std::string> named;
  for (const storage::Lease& lease : leases)
    if (std::find(devices.begin(), devices.end(), lease.device) != devices.end() &&
        named.insert(lease.run).second)
      text += (text.empty() ? "run " : ", run ") + lease.name + " (" + lease.run + ")" +
              (lease.queued ? " of the queue" : "");
  return text;
}

// "cuda:0 by run digits (k3j2h1g0); cuda:1-2 by run cifar (a1b2c3d4)".
std::string holdings(const Devices& devices, const std::vector<storage::Lease>& leases) {
  std::vector<std::pair<std::string, Devices>> parts;
  for (const std::string& device : devices)
    if (const std::string by = holders({device}, leases); !by.empty()) {
      if (parts.empty() || parts.back().first != by) parts.push_back({by, {}});
      parts.back().second.push_back(device);
    }
  std::string text;
  for (const auto& [by, held] : parts) text += (text.empty() ? "" : "; ") + device_list(held) + " by " + by;
  return text;
}

Devices gpus_for(const protocol::RunSpec& spec, const Machine& machine) {
  if (spec.device == "cuda" || spec.device == "auto") return machine.gpus;
  if (std::find(machine.gpus.begin(), machine.gpus.end(), spec.device) == machine.gpus.end())
    throw Error(ErrorKind::conflict, "the run asks for " + spec.device + ", and this machine shows " +
                                         (machine.gpus.empty() ? "no GPU" : device_list(machine.gpus)));
  return {spec.device};
}

std::string count_gpus(std::size_t count) { return fmt::format("{} {}", count, count == 1 ? "GPU" : "GPUs"); }

// "2 replicas", "2 replicas with 2 GPUs each".
std::string demand_text(int replicas, int of_each, const char* device) {
  const std::string count = replica_count_text(replicas);
  if (of_each == 1) return count;
  return fmt::format("{} with {} {}s{}", count, of_each, device, replicas == 1 ? "" : " each");
}

void check_gpus(int replicas, int of_each, const Supply& gpus, const std::vector<storage::Lease>& of_others) {
  const std::size_t gpu_count = gpus.devices.size();
  const std::size_t wanted = static_cast<std::size_t>(replicas) * static_cast<std::size_t>(of_each);
  if (wanted > gpu_count)
    throw Error(ErrorKind::conflict, demand_text(replicas, of_each, "GPU") + " on " + count_gpus(gpu_count) +
                                         ": ask for fewer, or allow several on one with --oversubscribe");
  if (wanted > gpus.free)
    throw Error(
        ErrorKind::conflict,
        fmt::format("{} {}, and {} of {} {} free (held: {}): ask for fewer, pause or stop the "
                    "other run, or share with --oversubscribe",
                    replica_count_text(replicas),
                    of_each > 1     ? fmt::format("{} {} GPUs{}", replicas == 1 ? "needs" : "need", of_each,
                                              replicas == 1 ? "" : " each")
                    : replicas == 1 ? "needs a GPU"
                                    : "need a GPU each",
                    gpus.free, gpu_count, gpus.free == 1 ? "is" : "are", holdings(gpus.devices, of_others)));
}

// As CUDA_VISIBLE_DEVICES lists them.
std::string visible(const Devices& gpus) {
  std::string text;
  for (const std::string& gpu : gpus) text += (text.empty() ? "" : ",") + gpu.substr(gpu.find(':') + 1);
  return text;
}

// The GPUs of one replica that has several. Where GPUs are shared, the last replicas get the first ones
// again.
Devices own_gpus(const Devices& all, int rank, int of_each) {
  Devices own;
  for (int i = 0; i < of_each; ++i)
    own.push_back(all[static_cast<std::size_t>(rank * of_each + i) % all.size()]);
  return own;
}

// Each replica sees the run's GPUs alone, or its own ones where it has several, and counts them from 0.
Placement on_gpus(const protocol::RunSpec& spec, int replicas, const Machine& machine, const Supply& gpus,
                  const std::vector<storage::Lease>& of_others) {
  const int of_each = spec.devices_of_each();
  if (std::ssize(gpus.devices) < of_each)
    throw Error(ErrorKind::conflict,
                fmt::format("{}, and there {} {}: ask for fewer for each by --devices-per-replica",
                            demand_text(replicas, of_each, "GPU"), gpus.devices.size() == 1 ? "is" : "are",
                            count_gpus(gpus.devices.size())));
  Placement placement;
  placement.devices = gpus.first(static_cast<std::size_t>(replicas) * static_cast<std::size_t>(of_each));
  const int count = static_cast<int>(placement.devices.size()), sets = count / of_each;
  for (int rank = 0; rank < replicas; ++rank) {
    Place place;
    place.threads = std::max(1, static_cast<int>(machine.cores.size()) / replicas);
    place.device = spec.device == "auto" ? "auto"
                   : of_each > 1         ? "cuda:0"
                                         : fmt::format("cuda:{}", rank % count);
    place.backend = spec.device == "auto" ? "auto" : replicas > sets ? "gloo" : "nccl";
    place.visible_gpus =
        visible(of_each > 1 ? own_gpus(placement.devices, rank, of_each) : placement.devices);
    placement.places.push_back(place);
  }
  if (const std::string others = holdings(placement.devices, of_others); !others.empty())
    placement.warning = "GPUs are shared with another run, as --oversubscribe allows: " + others;
  return placement;
}

// A sentence for a run that gets these cores, or empty where it shares none.
std::string sharing_text(const Devices& cores, const std::vector<storage::Lease>& of_others) {
  const std::string others = holders(cores, of_others);
  if (others.empty()) return "";
  return "cores are shared with " + others +
         ": they slow one another down until one is paused, stopped or given fewer replicas";
}

// Returns the devices of `wanted` that are not among `present`.
Devices missing(const Devices& wanted, const Devices& present) {
  Devices rest;
  for (const std::string& device : wanted)
    if (std::find(present.begin(), present.end(), device) == present.end()) rest.push_back(device);
  return rest;
}

Placement on_cores(const protocol::RunSpec& spec, int replicas, const Machine& machine,
                   const std::vector<storage::Lease>& of_others) {
  const Supply cores(machine.cores, of_others);
  const auto wanted = static_cast<std::size_t>(replicas);
  const auto of_each = static_cast<std::size_t>(spec.devices_of_each());
  const bool shares = cores.free < wanted * of_each;
  std::size_t threads = of_each;
  if (spec.devices_per_replica == 0)
    threads = std::max<std::size_t>(1, (shares ? cores.devices.size() : cores.free) / wanted);
  Placement placement;
  placement.devices = cores.first(threads * wanted);
  placement.places.assign(wanted, {.threads = static_cast<int>(threads), .device = spec.device});
  if (wanted * of_each > cores.devices.size())
    placement.warning =
        fmt::format("{} {} {} {} and{} will wait for one another",
                    demand_text(replicas, static_cast<int>(of_each), "core"),
                    replicas == 1 ? "shares" : "share", cores.devices.size(),
                    cores.devices.size() == 1 ? "core" : "cores", replicas == 1 ? " its threads" : "");
  if (const std::string shared = sharing_text(placement.devices, of_others); !shared.empty())
    placement.warning += (placement.warning.empty() ? "" : "; ") + shared;
  return placement;
}

void hide_gpus(Placement& placement) {
  for (Place& place : placement.places) place.visible_gpus = "";
}

// Places a run on the devices that were named.
Placement on_named(const protocol::RunSpec& spec, const Allocation& allocation, const Machine& machine,
                   const std::vector<storage::Lease>& of_others, const Devices& own) {
  const Devices& named = allocation.devices;
  const auto gpus = std::count_if(named.begin(), named.end(), is_gpu);
  if (gpus != 0 && gpus != std::ssize(named))
    throw Error(ErrorKind::usage, "a run trains on cores or on GPUs, not on both: " + device_list(named));
  const bool gpu = gpus != 0;
  if (gpu ? spec.device == "cpu" : uses_gpus(spec))
    throw Error(ErrorKind::conflict,
                "the run trains on the device " + spec.device + ", so it cannot use " + device_list(named));
  const Devices& present = gpu ? machine.gpus : machine.cores;
  if (const Devices absent = missing(named, present); !absent.empty())
    throw Error(ErrorKind::conflict, "this machine has no " + device_list(absent) + "; it has " +
                                         (present.empty() ? "no GPU" : device_list(present)));
  if (const std::string others = holdings(missing(named, own), of_others); !others.empty())
    throw Error(ErrorKind::conflict, "devices are held by another run: " + others);

  if (spec.devices_per_replica > 0 && !spec.oversubscribe &&
      std::ssize(named) != std::ptrdiff_t{allocation.replicas} * spec.devices_per_replica)
    throw Error(
        ErrorKind::usage,
        fmt::format("{} devices are named ({}), and {} {} {}: name as many", named.size(), device_list(named),
                    demand_text(allocation.replicas, spec.devices_per_replica, gpu ? "GPU" : "core"),
                    allocation.replicas == 1 ? "needs" : "need",
                    allocation.replicas * spec.devices_per_replica));
  Placement placement;
  if (gpu) {
    const Supply supply(gpus_for(spec, {machine.cores, named}), {});
    if (!spec.oversubscribe) check_gpus(allocation.replicas, spec.devices_of_each(), supply, {});
    placement = on_gpus(spec, allocation.replicas, machine, supply, {});
  } else {
    placement = on_cores(spec, allocation.replicas, {named, {}}, {});
    if (placement.warning.empty()) placement.warning = sharing_text(named, of_others);
    if (!machine.gpus.empty() && spec.device == "auto") hide_gpus(placement);
  }
  placement.devices = named;
  return placement;
}

}  // namespace

int Placement::nodes() const {
  std::set<std::string> names;
  for (const Place& place : places) names.insert(place.node);
  return static_cast<int>(names.size());
}

Machine free_devices(const Machine& machine, const std::vector<storage::Lease>& of_others) {
  Machine free = machine;
  for (Devices* const devices : {&free.cores, &free.gpus})
    std::erase_if(*devices, [&](const std::string& device) { return !is_free(device, of_others); });
  return free;
}

bool uses_gpus(const protocol::RunSpec& spec) { return spec.device.starts_with("cuda"); }

int room_for_replicas(const protocol::RunSpec& spec, const Machine& machine) {
  const int of_each = spec.devices_of_each();
  if (!uses_gpus(spec)) return static_cast<int>(machine.cores.size()) / of_each;
  return spec.device == "cuda" ? static_cast<int>(machine.gpus.size()) / of_each : 1;  // or one by its name
}

void insist_on_devices(const protocol::RunSpec& spec, int replicas, storage::Catalogue& catalogue) {
  if (!catalogue.pool_settings().nodes_from.empty()) return;
  const Machine machine = pool_machine(catalogue);
  const bool gpus = uses_gpus(spec) || (spec.device == "auto" && !machine.gpus.empty());
  const auto count = static_cast<int>((gpus ? machine.gpus : machine.cores).size());
  const int of_each = spec.devices_of_each();
  if (replicas <= count / of_each) return;
  const char* const kind = gpus ? "GPU" : "core";
  throw Error(
      ErrorKind::conflict,
      fmt::format(
          "{} {} too many: the pool gives each {} of its own, and this machine has only {}; ask for fewer",
          replica_count_text(replicas), replicas == 1 ? "is" : "are",
          of_each == 1 ? fmt::format("a {}", kind) : fmt::format("{} {}s", of_each, kind), count));
}

Error devices_are_the_pools(const std::string& run) {
  return Error(ErrorKind::conflict,
               fmt::format("run {} is in the queue, and the pool chooses its devices: resume it without "
                           "--devices, and when it trains, call batchscope rescale {} --devices ..",
                           run, run));
}

Placement place(const protocol::RunSpec& spec, const Allocation& allocation, const Machine& machine,
                const std::vector<storage::Lease>& of_others, const Devices& own) {
  const int replicas = allocation.replicas;
  if (replicas < 1)
    throw Error(ErrorKind::usage, fmt::format("a run needs at least 1 replica, not {}", replicas));
  const bool any = spec.device == "auto";
  if (!uses_gpus(spec) && !any && spec.device != "cpu")
    throw Error(ErrorKind::usage, "device '" + spec.device + "': expected auto, cpu, cuda or cuda:N");
  if (!allocation.devices.empty()) return on_named(spec, allocation, machine, of_others, own);
  if (uses_gpus(spec) && machine.gpus.empty())
    throw Error(ErrorKind::conflict, "the run asks for CUDA and this machine shows no GPU");
  if (spec.device == "cpu" || machine.gpus.empty()) return on_cores(spec, replicas, machine, of_others);

  const Supply gpus(gpus_for(spec, machine), of_others);
  const int of_each = spec.devices_of_each();
  const bool enough = replicas <= static_cast<int>(gpus.free) / of_each;
  if (enough || spec.oversubscribe) return on_gpus(spec, replicas, machine, gpus, of_others);
  if (!any) check_gpus(replicas, of_each, gpus, of_others);
  Placement placement = on_cores(spec, replicas, machine, of_others);
  hide_gpus(placement);
  const std::string others = holdings(gpus.devices, of_others);
  placement.warning =
      fmt::format("{} train on cores, as {} of {} are free{}{}", replica_count_text(replicas), gpus.free,
                  count_gpus(gpus.devices.size()), others.empty() ? "" : " (held: " + others + ")",
                  placement.warning.empty() ? "" : "; " + placement.warning);
  return placement;
}

}  // namespace batchscope::run
