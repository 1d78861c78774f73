// SPDX-License-Identifier: Apache-2.0
#include "records/job_records.h"

#include <fmt/core.h>

#include "batchscope/run/pool.h"
#include "records/store.h"

namespace batchscope::cli {

using protocol::RunState;

std::string placeText(const common::PlacedJob& job) {
  if (job.place > 0) return fmt::format("is number {} in the queue", job.place);
  if (job.entry.job.held)
    return fmt::format("is held in the queue: batchscope release {} lets it go on", job.entry.run.id);
  return fmt::format("is {}", pool::job_state_name(job.entry.state));
}

bool waitsForPool(storage::Catalogue& catalogue, const storage::Run& run) {
  const auto job = catalogue.job(run.id);
  if (!job || run.removed > 0) return false;
  if (run.state == RunState::paused || run.state == RunState::pausing) return job->preempted || job->held;
  return run.state == RunState::pending || (run.state == RunState::interrupted && run::kPool.alive());
}

bool isAtRest(storage::Catalogue& catalogue, const storage::Run& run) {
  return isAtRest(run.state) && !waitsForPool(catalogue, run);
}

void refusePending(storage::Catalogue& catalogue, const storage::Run& run) {
  if (run.state != RunState::pending) return;
  const auto job = common::placedJob(catalogue, run);
  throw Error(
      ErrorKind::conflict,
      fmt::format("{} {}, and has not begun; `batchscope queue` says why it waits, `batchscope {} {}` "
                  "{}, `batchscope cancel {}` takes it out",
                  title(run), job ? placeText(*job) : "is pending",
                  job && job->entry.job.held ? "release" : "hold", run.id,
                  job && job->entry.job.held ? "lets it go on" : "keeps it waiting", run.id));
}

}  // namespace batchscope::cli
