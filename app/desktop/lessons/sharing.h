// SPDX-License-Identifier: GPL-3.0-or-later
//
// Two runs that share devices, by their fitted models: the goodput of each with so many devices, and the
// pool's split of the devices if both were at their beginning.
#pragma once

#include <QString>
#include <array>
#include <optional>
#include <vector>

#include "batchscope/policy/objective.h"
#include "batchscope/protocol/telemetry.h"

namespace batchscope::desktop {

struct SharingRun {
  QString name;
  std::vector<double> goodput;  // samples/s with 0, 1, .. devices
  double work = 0;              // samples of the whole run, at the initial batch's efficiency
};

// `progress`: scale-invariant iterations of the whole run. Without a model nothing is known to be learnt.
SharingRun sharingRun(const QString& name, const std::optional<protocol::Model>& model, double progress,
                      int devices);

class Sharing {
 public:
  // Both with as many numbers of devices. `devices` is even, so that there is a fair share.
  Sharing(SharingRun first, SharingRun second);

  int devices() const { return static_cast<int>(runs_[0].goodput.size()) - 1; }
  const SharingRun& run(std::size_t which) const { return runs_.at(which); }
  // Returns the devices of the first run (0) or the second, where the first has `first` devices.
  int share(std::size_t which, int first) const { return which == 0 ? first : devices() - first; }
  double goodput(std::size_t which, int first) const;
  double sum(int first) const { return goodput(0, first) + goodput(1, first); }
  // Returns the speed-up over what it would learn with half of the devices.
  double speedup(std::size_t which, int first) const;

  int mostInSum() const;                           // devices of the first with which the sum is largest
  int decided(policy::Objective objective) const;  // devices that the policy gives to the first

 private:
  std::array<SharingRun, 2> runs_;
};

}  // namespace batchscope::desktop
