// SPDX-License-Identifier: Apache-2.0
/// \file
/// Trials of a sweep folded into one row, so that they do not bury the runs that a person looks for: in a
/// list of runs all trials of a sweep, in the queue those that wait at a rung and those that have ended. What
/// folds and what a row says is decided here for all faces. Pure, but for listedSweeps().
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "batchscope/common/queue_json.h"
#include "batchscope/common/trial_text.h"
#include "batchscope/storage/run_filter.h"

namespace batchscope::common {

/// The best trial of a row, as sweep::ranking() has it: of those that came to the highest rung.
struct BestTrial {
  std::string metric = {};  ///< a series
  double value = 0;         ///< of the metric
  std::size_t trial = 0;    ///< number
};

/// A row of a list of runs.
struct RunRow {
  /// The run. Of a fold its sweep, in the fields of a run and without an id: its name and its state, the
  /// devices and replicas of all its trials, the creation of its newest one, and the best value among the
  /// newest ones.
  storage::Run run = {};
  std::vector<storage::Run> trials = {};  ///< folded into the row; empty: it is one run
  std::string text = {};                  ///< of a fold, as trialsText()
  std::optional<BestTrial> best = {};     ///< of a fold; none: no trial has a value
};

/// The runs in rows: a sweep of which two runs or more are given is a row in the place of the first of them.
std::vector<RunRow> foldTrials(std::vector<storage::Run> runs, const ListedSweeps& sweeps);

/// The run as storage::run_json() has it, and "fold": null; of a sweep without an id, and
/// {"fold":{"trials":12,"text":"12 trials: ..","best":{"metric":..,"value":..,"trial":..}}}.
protocol::Json rowJson(const RunRow& row);

/// Whether a filter asks for trials as such, so that what passes it is not folded.
bool unfolds(const storage::RunFilter& filter);

/// A row of the queue.
struct QueueRow {
  /// The job. Of a fold its sweep: the run as in a RunRow, and the job's reason says what is folded.
  PlacedJob job = {};
  std::vector<PlacedJob> trials = {};  ///< folded into the row; empty: it is one job
};

/// {"run":ID} of a job, {"sweep":NAME,"state":..,"text":..,"runs":[..]} of a fold.
protocol::Json rowJson(const QueueRow& row);

/// The jobs in rows. Those that wait at a rung ask for nothing: they follow all others that have not ended.
/// Two or more of a sweep that wait so, or have ended, are one row.
std::vector<QueueRow> foldQueue(std::vector<PlacedJob> jobs);

}  // namespace batchscope::common
