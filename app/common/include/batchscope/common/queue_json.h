// SPDX-License-Identifier: Apache-2.0
/// \file
/// The runs in the queue of the pool with their places, and as JSON. Every call that takes the catalogue
/// throws Error as the catalogue does.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "batchscope/common/node_lanes.h"
#include "batchscope/pool/queue.h"
#include "batchscope/protocol/json.h"
#include "batchscope/run/store_process.h"

namespace batchscope::common {

/// A job and its place in the queue.
struct PlacedJob {
  pool::QueueEntry entry;  ///< with its run
  /// Place among the jobs that wait for devices, other things being equal: 1 is the next; 0 is a job that
  /// waits for none or is held.
  int place = 0;
  std::optional<int> rung = {};  ///< where a trial is paused until its sweep decides
};

/// Returns the jobs that have not ended, in the order of pool::queue(); with `ended`, those that have ended
/// follow.
std::vector<PlacedJob> placedJobs(storage::Catalogue& catalogue, bool ended = false);
/// Returns the job of a run; none if the run never was in the queue.
std::optional<PlacedJob> placedJob(storage::Catalogue& catalogue, const storage::Run& run);

/// Returns "ok", "end" or "fail", as people write it behind the run for which a job waits.
const char* afterEndName(storage::AfterEnd end);
/// Splits "RUN", "RUN:ok", "RUN:end" or "RUN:fail" into the run, as it is named there, and the end that is
/// waited for.
std::pair<std::string, storage::AfterEnd> parseAfter(const std::string& text);

/// Returns the pool's last advice about more devices; empty where the queue has ended.
std::string poolAdvice(storage::Catalogue& catalogue);

double meanWait(const std::vector<PlacedJob>& jobs);  ///< s; 0 without jobs

/// Returns {"pid":..,"age":..,"hang":".."} with `hang` as StoreProcess::hang; null where the process does not
/// run.
protocol::Json heartbeatJson(const run::StoreProcess& process);

protocol::Json jobJson(const PlacedJob& job);  ///< as `queue --json` has it
/// {"queue":[..],"mean_wait":..,"advice":"..","nodes":[..]}, the last by nodeLanesJson
protocol::Json queueJson(storage::Catalogue& catalogue, const std::vector<PlacedJob>& jobs,
                         const std::vector<NodeLane>& nodes);

}  // namespace batchscope::common
