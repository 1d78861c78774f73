// SPDX-License-Identifier: Apache-2.0
/// \file
/// How trials of a sweep stand, in words. Pure, but for listedSweeps().
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "batchscope/storage/sweeps.h"
#include "batchscope/sweep/sweep_file.h"

namespace batchscope::common {

/// How far a trial has come.
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
  sweep::Goal goal = sweep::Goal::min;                       ///< what is to become of the metric
  std::map<std::size_t, TrialStanding> trials = {};          ///< by number
};

/// Sweeps by their names.
using ListedSweeps = std::map<std::string, ListedSweep>;

/// The sweeps that any of the runs is a trial of. Throws Error as the catalogue does.
ListedSweeps listedSweeps(storage::Catalogue& catalogue, const std::vector<storage::Run>& runs);

/// How the trial of a run stands; null: it is not a trial of these sweeps.
const TrialStanding* standingOf(const storage::Run& run, const ListedSweeps& sweeps);

/// Whether a run is paused at a rung until its sweep decides.
bool waitsAtRung(const storage::Run& run, const ListedSweeps& sweeps);

/// "waits at rung 1 of digits-lr"
std::string rungText(const std::string& sweep, int rung);

/// "8 wait at rung 1"
std::string rungCount(std::size_t count, int rung);

/// Why a run has ended whose trial has diverged (storage::kDiverged); else empty.
std::string divergedText(const storage::Run& run);

/// Says whose a run is that waits at a rung, for a person who resumes it; else empty.
std::string resumedTrialText(const storage::Run& run, const ListedSweeps& sweeps);

/// How many there are, and of those what trains, what waits and what is over, in this order: "12 trials: 3
/// running, 8 wait at rung 1, 1 diverged".
std::string trialsText(const std::vector<storage::Run>& trials, const ListedSweeps& sweeps);

}  // namespace batchscope::common
