// SPDX-License-Identifier: Apache-2.0
/// \file
/// The states of a sweep's trials, in words. Pure, but for listedSweeps().
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "batchscope/storage/sweeps.h"
#include "batchscope/sweep/sweep_file.h"

namespace batchscope::common {

/// The progress of a trial.
struct TrialStanding {
  int rung = 0;        ///< to which its newest leg leads
  bool rests = false;  ///< that leg has ended with a value: the sweep decides whether it goes on
  int reached = -1;    ///< the last rung at which its metric has a value
  std::optional<double> value = {};  ///< that value; none: there is none, or the trial has diverged
};

/// A sweep as far as lists of runs need to know it.
struct ListedSweep {
  storage::SweepState state = storage::SweepState::running;  ///< its own
  std::string metric = {};                                   ///< a series; empty: its file cannot be read
  sweep::Goal goal = sweep::Goal::min;                       ///< whether the metric is to be small or large
  std::map<std::size_t, TrialStanding> trials = {};          ///< by number
};

/// Sweeps by their names.
using ListedSweeps = std::map<std::string, ListedSweep>;

/// Returns the sweeps that have any of the runs as a trial. Throws Error as the catalogue does.
ListedSweeps listedSweeps(storage::Catalogue& catalogue, const std::vector<storage::Run>& runs);

/// Returns the standing of a run's trial; null: the run is not a trial of these sweeps.
const TrialStanding* standingOf(const storage::Run& run, const ListedSweeps& sweeps);

/// Returns whether a run is paused at a rung until its sweep decides.
bool waitsAtRung(const storage::Run& run, const ListedSweeps& sweeps);

/// Returns "waits at rung 1 of digits-lr".
std::string rungText(const std::string& sweep, int rung);

/// Returns "8 wait at rung 1".
std::string rungCount(std::size_t count, int rung);

/// Returns why the run of a diverged trial has ended (storage::kDiverged); else empty.
std::string divergedText(const storage::Run& run);

/// Returns a notice for a person who resumes a trial that waits at a rung: its sweep, and the command that
/// makes it wait again; else empty.
std::string resumedTrialText(const storage::Run& run, const ListedSweeps& sweeps);

/// Returns the number of trials, then those that train, wait and are over, in this order: "12 trials: 3
/// running, 8 wait at rung 1, 1 diverged".
std::string trialsText(const std::vector<storage::Run>& trials, const ListedSweeps& sweeps);

}  // namespace batchscope::common
