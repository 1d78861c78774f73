// SPDX-License-Identifier: Apache-2.0
/// \file
/// Trials of a sweep folded into one row, so that they do not bury the runs that a person looks for: in a
/// list of runs all trials of a sweep, in the queue those that wait at a rung and those that have ended. All
/// faces fold by these functions. Pure, but for listedSweeps().
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "batchscope/common/queue_json.h"
#include "batchscope/common/trial_text.h"
#include "batchscope/storage/run_filter.h"

namespace batchscope::common {

/// The best trial of a row by sweep::ranking(), among those that came to the highest rung.
struct BestTrial {
  std::string metric = {};  ///< a series
  double value = 0;         ///< of the metric
  std::size_t trial = 0;    ///< number
};

/// A row of a list of runs.
struct RunRow {
  /// The run. For a fold, its sweep in the fields of a run, without an id: its name and its state, the
  /// devices and replicas of all its trials, the creation of its newest trial, and the best value among the
  /// newest ones.
  storage::Run run = {};
  std::vector<storage::Run> trials = {};  ///< folded into the row; empty: it is one run
  std::string text = {};                  ///< for a fold, trialsText()
  std::optional<BestTrial> best = {};     ///< for a fold; none: no trial has a value
};

/// Returns the runs in rows. Two or more runs of one sweep are one row, in the place of the first of them.
std::vector<RunRow> foldTrials(std::vector<storage::Run> runs, const ListedSweeps& sweeps);

/// Returns storage::run_json() of the run and "fold": null; for a sweep without an id, and with
/// {"fold":{"trials":12,"text":"12 trials: ..","best":{"metric":..,"value":..,"trial":..}}}.
protocol::Json rowJson(const RunRow& row);

/// Returns whether a filter asks for trials as such; then the runs that pass are not folded.
bool unfolds(const storage::RunFilter& filter);

/// A row of the queue.
struct QueueRow {
  /// The job. For a fold, its sweep: the run as in a RunRow, with what is folded as the job's reason.
  PlacedJob job = {};
  std::vector<PlacedJob> trials = {};  ///< folded into the row; empty: it is one job
};

/// Returns {"run":ID} for a job, {"sweep":NAME,"state":..,"text":..,"runs":[..]} for a fold.
protocol::Json rowJson(const QueueRow& row);

/// Returns the jobs in rows. Jobs that wait at a rung ask for nothing, and follow all others that have not
/// ended. Two or more jobs of a sweep that wait at a rung, or that have ended, are one row.
std::vector<QueueRow> foldQueue(std::vector<PlacedJob> jobs);

}  // namespace batchscope::common
