// SPDX-License-Identifier: Apache-2.0
/// \file
/// Two runs that share devices, by their fitted models: the goodput of each with so many devices, the pool's
/// split of the devices if both were at their beginning, and how a lesson shows them.
#pragma once

#include <QString>
#include <array>
#include <optional>
#include <vector>

#include "batchscope/common/figure_data.h"
#include "batchscope/policy/objective.h"
#include "batchscope/protocol/telemetry.h"

namespace batchscope::common {

/// One of the two runs.
struct SharingRun {
  QString name;                 ///< by which people know it
  std::vector<double> goodput;  ///< samples/s with 0, 1, .. devices
  double work = 0;              ///< samples of the whole run, at the initial batch's efficiency
};

/// Returns the run as it may share `devices`. `progress`: scale-invariant iterations of the whole run.
/// Without a model nothing is known to be learnt.
SharingRun sharingRun(const QString& name, std::optional<protocol::Model> model, double progress,
                      int devices);

/// Both runs.
class Sharing {
 public:
  /// Both with as many numbers of devices. `devices` is even, so that there is a fair share.
  Sharing(SharingRun first, SharingRun second);

  /// Returns the number of devices that are shared.
  int devices() const { return static_cast<int>(runs_[0].goodput.size()) - 1; }
  /// Returns the first run (0) or the second (1).
  const SharingRun& run(std::size_t which) const { return runs_.at(which); }
  /// Returns the devices of the first run (0) or the second, where the first has `first` devices.
  int share(std::size_t which, int first) const { return which == 0 ? first : devices() - first; }
  /// Returns the goodput of a run, samples/s.
  double goodput(std::size_t which, int first) const;
  /// Returns that of both.
  double sum(int first) const { return goodput(0, first) + goodput(1, first); }
  /// Returns the speed-up over what it would learn with half of the devices.
  double speedup(std::size_t which, int first) const;

  int mostInSum() const;                           ///< devices of the first with which the sum is largest
  int decided(policy::Objective objective) const;  ///< devices that the policy gives to the first

 private:
  std::array<SharingRun, 2> runs_;
};

/// A split of the devices that a person may choose.
struct SharingChoice {
  QString name;     ///< "Even"
  QString meaning;  ///< how it is found
  QString mark;     ///< beside its line in the figure; empty: it has none there
  int first = 0;    ///< devices of the first run
};
/// Returns the even split, those of the policies fair and fast, and the largest sum.
std::vector<SharingChoice> sharingChoices(const Sharing& sharing);

/// Returns the goodput of each run and their sum over the splits, with the split `first` marked.
FigureData sharingFigure(const Sharing& sharing, int first);

/// Returns what is to be read of a split: of the first run, the second, and both, the devices, the goodput in
/// samples/s, and the speed-up against half of the devices.
std::array<std::array<QString, 3>, 3> sharingRows(const Sharing& sharing, int first);

}  // namespace batchscope::common
