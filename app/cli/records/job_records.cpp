// SPDX-License-Identifier: Apache-2.0
#include "records/job_records.h"

#include <fmt/core.h>

#include <algorithm>

#include "batchscope/run/pool.h"
#include "records/run_json.h"
#include "records/store.h"

namespace batchscope::cli {

using pool::JobState;
using protocol::Json;
using protocol::RunState;

std::vector<PlacedJob> placedJobs(storage::Catalogue& catalogue, bool ended) {
  std::vector<PlacedJob> jobs;
  int waiting = 0;
  for (pool::QueueEntry& entry : pool::queue(catalogue, ended)) {
    const bool waits = entry.state == JobState::pending || entry.state == JobState::paused;
    jobs.push_back({std::move(entry), waits ? ++waiting : 0});
  }
  return jobs;
}

std::optional<PlacedJob> placedJob(storage::Catalogue& catalogue, const storage::Run& run) {
  const auto job = catalogue.job(run.id);
  if (!job) return std::nullopt;
  std::vector<PlacedJob> jobs = placedJobs(catalogue, pool::job_state(run, *job) >= JobState::succeeded);
  const auto found = std::find_if(jobs.begin(), jobs.end(),
                                  [&](const PlacedJob& each) { return each.entry.run.id == run.id; });
  if (found == jobs.end()) return std::nullopt;
  return std::move(*found);
}

std::string placeText(const PlacedJob& job) {
  if (job.place > 0) return fmt::format("is number {} in the queue", job.place);
  if (job.entry.job.held)
    return fmt::format("is held in the queue: batchscope release {} lets it go on", job.entry.run.id);
  return fmt::format("is {}", pool::job_state_name(job.entry.state));
}

Json jobJson(const PlacedJob& placed) {
  const auto& [run, job, state, waited] = placed.entry;
  using storage::Meaning;
  return {
      {"run", run.id},
      {"name", run.name},
      {"group", run.spec.group},
      {"place", placed.place > 0 ? Json(placed.place) : Json()},
      {"state", pool::job_state_name(state)},
      {"run_state", protocol::run_state_name(run.state)},
      {"replicas", run.devices.empty() ? 0 : run.replicas},
      {"asked", run.spec.auto_replicas ? run.spec.auto_replicas->text() : std::to_string(run.spec.replicas)},
      {"devices", run.devices},
      {"target", job.target},
      {"submitted", fieldJson(job.submitted, Meaning::time)},
      {"waited", waited},
      {"expected_end", fieldJson(job.expected_end, Meaning::later_time)},
      {"priority", job.priority},
      {"after", job.after.empty() ? Json() : Json(job.after)},
      {"held", job.held},
      {"preemptible", job.preemptible},
      {"preempted", job.preempted},
      {"crashes", job.crashes},
      {"reason", job.reason}};
}

std::string poolAdvice(storage::Catalogue& catalogue) {
  const auto decision = catalogue.jobs().empty() ? std::nullopt : catalogue.last_decision();
  return decision ? decision->advice : "";
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
  const auto job = placedJob(catalogue, run);
  throw Error(
      ErrorKind::conflict,
      fmt::format("{} {}, and has not begun; `batchscope queue` says why it waits, `batchscope {} {}` "
                  "{}, `batchscope cancel {}` takes it out",
                  title(run), job ? placeText(*job) : "is pending",
                  job && job->entry.job.held ? "release" : "hold", run.id,
                  job && job->entry.job.held ? "lets it go on" : "keeps it waiting", run.id));
}

}  // namespace batchscope::cli
