// SPDX-License-Identifier: Apache-2.0
#include "records/job_records.h"

#include "batchscope/run/client.h"
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

bool reportsNoCheckpoints(const storage::Run& before, const protocol::Json& status) {
  return (before.state == RunState::running || before.state == RunState::restarting) && status.is_object() &&
         !status.value("rescalable", true);
}

bool reportsNoCheckpoints(const storage::Run& run) {
  protocol::Request status;
  status.command = protocol::Request::Command::status;
  try {
    return reportsNoCheckpoints(run, run::request(run.id, status));
  } catch (const Error&) {
    return false;  // the command itself says what is wrong
  }
}

std::string stopText(const storage::Run& run, bool withoutCheckpoint) {
  if (run.state == RunState::paused)
    return say("stopping, with the checkpoint of its pause; `batchscope resume` continues it");
  if (withoutCheckpoint)
    return say(
        "stopping without a checkpoint, as its program reports none; `batchscope resume` starts the "
        "program again");
  return say("checkpointing, then stopping; `batchscope resume` continues it");
}

}  // namespace batchscope::cli
