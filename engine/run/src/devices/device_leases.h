// SPDX-License-Identifier: Apache-2.0
//
// The devices of one run, leased in the catalogue so that no other run takes them by accident. What a
// generation will need is taken when it is asked for, beside what the one that runs has; it is given back
// when nothing can lead to it any more. So a restart finds its devices, the way back to the old number of
// replicas stays open, and while a run restarts nothing is read or written.
#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "batchscope/storage/catalogue.h"
#include "devices/placement.h"

namespace batchscope::run {

class DeviceLeases {
 public:
  DeviceLeases(storage::Catalogue& catalogue, std::string run, Machine machine);

  // Told what is no reason to stop: a catalogue that cannot be written.
  std::function<void(const std::string& text)> on_trouble;

  // Leases what so many replicas need, if that has not been done. Throws as place() does, and the catalogue's
  // errors where GPUs are at stake.
  const Placement& take(const protocol::RunSpec& spec, int replicas);

  // Gives back what none of these numbers of replicas needs. Never throws.
  void keep(const std::set<int>& replicas);

  bool have_gpus() const;

 private:
  void lease(const std::vector<std::string>& devices);

  storage::Catalogue& catalogue_;
  const std::string run_;
  const Machine machine_;
  std::map<int, Placement> taken_;  // by number of replicas
  std::set<std::string> leased_;
};

}  // namespace batchscope::run
