// SPDX-License-Identifier: Apache-2.0
/// \file
/// Runs in the queue of the pool, in their places, and as JSON. Every call that takes the catalogue throws
/// Error as it does.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "batchscope/pool/queue.h"
#include "batchscope/protocol/json.h"
#include "batchscope/run/store_process.h"

namespace batchscope::common {

/// A job in its place.
struct PlacedJob {
  pool::QueueEntry entry;  ///< with its run
  /// When it would get devices were nothing else to be said: 1 is the next of those that wait for some, 0 one
  /// that waits for none or is held.
  int place = 0;
  std::optional<int> rung = {};  ///< of a trial that is paused there until its sweep decides
};

/// Returns the jobs that have not ended, and with `ended` behind them those that have, as pool::queue().
std::vector<PlacedJob> placedJobs(storage::Catalogue& catalogue, bool ended = false);
/// None of a run that never was in the queue.
std::optional<PlacedJob> placedJob(storage::Catalogue& catalogue, const storage::Run& run);

/// "ok", "end" or "fail", as people write it behind the run that a job comes after.
const char* afterEndName(storage::AfterEnd end);
/// "RUN", "RUN:ok", "RUN:end" or "RUN:fail" as the run, in whatever way it is named, and which end of it.
std::pair<std::string, storage::AfterEnd> parseAfter(const std::string& text);

/// Returns the pool's last advice about more devices; empty where the queue has ended.
std::string poolAdvice(storage::Catalogue& catalogue);

double meanWait(const std::vector<PlacedJob>& jobs);  ///< s; 0 of none

/// {"pid":..,"age":..,"hang":".."} with `hang` as StoreProcess::hang; null where the process is not there.
protocol::Json heartbeatJson(const run::StoreProcess& process);

protocol::Json jobJson(const PlacedJob& job);  ///< as `queue --json` has it
/// {"queue":[..],"mean_wait":..,"advice":".."}
protocol::Json queueJson(storage::Catalogue& catalogue, const std::vector<PlacedJob>& jobs);

}  // namespace batchscope::common
