// SPDX-License-Identifier: Apache-2.0
//
// The devices of one run, leased in the catalogue so that no other run takes them by accident. What a
// generation will need is taken when it is asked for, beside what the one that runs has; it is given back
// when nothing can lead to it any more. So a restart finds its devices, the way back to the old number of
// replicas stays open, and while a run restarts nothing is read or written.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "batchscope/storage/catalogue.h"
#include "devices/node_placement.h"

namespace batchscope::run {

class DeviceLeases {
 public:
  // Leaves what the run holds already, because its devices were named when it was started, leased until
  // keep().
  DeviceLeases(storage::Catalogue& catalogue, std::string run, Machine machine);

  // Places over these nodes from now on, and not on this one alone. What was taken on others is let go.
  void use_nodes(Nodes nodes);
  const std::optional<Nodes>& nodes() const { return nodes_; }
  // Returns the names of other nodes of which something is leased.
  std::set<std::string> other_nodes() const;

  // Called with a warning when the catalogue cannot be written; training goes on.
  std::function<void(const std::string& text)> on_trouble;

  // Leases what the allocation needs, if that has not been done; the generation and why it is to have them
  // are kept with them. Throws as place() does, and the catalogue's errors where GPUs are at stake.
  const Placement& take(const protocol::RunSpec& spec, const Allocation& allocation, int generation = -1,
                        const std::string& why = {});

  // Gives back what none of these allocations needs. Never throws.
  void keep(const std::set<Allocation>& allocations);

  const Machine& machine() const { return machine_; }
  // Returns the part of it that no other run holds; all of it where the catalogue cannot be read.
  Machine free() const;

  // The one that was taken on the very devices that this one names, or else this one.
  Allocation as_taken(const Allocation& allocation) const;
  // Returns the devices of an allocation that was taken; else none.
  std::vector<std::string> devices(const Allocation& allocation) const;

  // The spec with the kind of device that its program is known to use; while it has said nothing, what it was
  // given.
  protocol::RunSpec placed(const protocol::RunSpec& spec) const;

  // Where a program for any device trains that was given GPUs ("cuda:0", "cpu"), which it may be unable to
  // use: its LibTorch has no CUDA. One that uses them stays on GPUs, and is not moved to cores by a rescale
  // for which too few are free. False for what was known, or had no choice.
  bool learn_device(const protocol::RunSpec& spec, const std::string& device);

 private:
  bool have_gpus() const;

  storage::Catalogue& catalogue_;
  const std::string run_;
  const Machine machine_;
  std::optional<Nodes> nodes_;
  std::map<Allocation, Placement> taken_;
  std::set<std::string> leased_;
  std::string kind_;  // "cuda" or "cpu", once a program for any device was given GPUs
};

}  // namespace batchscope::run
