// SPDX-License-Identifier: Apache-2.0
#include "records/job_records.h"

#include "batchscope/run/pool.h"
#include "records/store.h"
#include "text/say.h"

namespace batchscope::cli {

using protocol::RunState;

bool waitsForPool(storage::Catalogue& catalogue, const storage::Run& run) {
  const auto job = catalogue.job(run.id);
  if (!job || run.removed > 0) return false;
  if (run.state == RunState::paused || run.state == RunState::pausing)
    return job->preempted || job->held || !job->rests;
  return run.state == RunState::pending || (run.state == RunState::interrupted && run::kPool.alive());
}

bool isAtRest(storage::Catalogue& catalogue, const storage::Run& run) {
  return isAtRest(run.state) && !waitsForPool(catalogue, run);
}

std::string stopText(const storage::Run& run) {
  return run.state == RunState::paused
             ? say("stopping, with the checkpoint of its pause; `batchscope resume` continues it")
             : say("checkpointing, then stopping; `batchscope resume` continues it");
}

}  // namespace batchscope::cli
