// SPDX-License-Identifier: GPL-3.0-or-later
//
// The sweeps of the catalogue as of one moment, and all details of the watched one.
#pragma once

#include <QString>
#include <optional>
#include <string>
#include <vector>

#include "batchscope/sweep/sweeps.h"

namespace batchscope::desktop {

struct SweepSnapshot {
  std::vector<storage::Sweep> sweeps;    // the newest first
  std::string name;                      // of the one that is looked at; empty: there is none
  std::optional<sweep::SweepView> view;  // none: `fault` says why
  QString fault;
  std::vector<double> importance;  // of each of its parameters, 0 to 1
  bool isDriven = false;           // the process that begins trials is there
};

// Returns each trial's rank by its newest value: 1 the best, 0 the worst; NaN: it has none.
std::vector<double> ranksOf(const sweep::SweepView& view);

}  // namespace batchscope::desktop
