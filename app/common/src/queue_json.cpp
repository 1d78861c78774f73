// SPDX-License-Identifier: Apache-2.0
#include "batchscope/common/queue_json.h"

#include <algorithm>
#include <numeric>

#include "batchscope/common/trial_text.h"
#include "batchscope/storage/record_json.h"

namespace batchscope::common {

using pool::JobState;
using protocol::Json;

namespace {

struct NamedEnd {
  storage::AfterEnd end;
  const char* name;
};
constexpr NamedEnd kEnds[] = {
    {storage::AfterEnd::ok, "ok"}, {storage::AfterEnd::end, "end"}, {storage::AfterEnd::fail, "fail"}};

}  // namespace

const char* afterEndName(storage::AfterEnd end) {
  for (const NamedEnd& known : kEnds)
    if (known.end == end) return known.name;
  return "";
}

std::pair<std::string, storage::AfterEnd> parseAfter(const std::string& text) {
  for (const NamedEnd& known : kEnds)
    if (const std::string suffix = std::string(":") + known.name; text.ends_with(suffix))
      return {text.substr(0, text.size() - suffix.size()), known.end};
  return {text, storage::AfterEnd::ok};
}

std::vector<PlacedJob> placedJobs(storage::Catalogue& catalogue, bool ended) {
  std::vector<PlacedJob> jobs;
  std::vector<storage::Run> paused;
  int waiting = 0;
  for (pool::QueueEntry& entry : pool::queue(catalogue, ended)) {
    const bool waits = entry.state == JobState::pending || entry.state == JobState::paused;
    if (entry.state == JobState::held) paused.push_back(entry.run);
    jobs.push_back({std::move(entry), waits ? ++waiting : 0});
  }
  const ListedSweeps sweeps = listedSweeps(catalogue, paused);
  for (PlacedJob& job : jobs)
    if (waitsAtRung(job.entry.run, sweeps)) job.rung = job.entry.run.trial->rung;
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

Json heartbeatJson(const run::StoreProcess& process) {
  const auto heartbeat = process.heartbeat();
  if (!heartbeat) return nullptr;
  return {{"pid", heartbeat->pid}, {"age", heartbeat->age}, {"hang", process.hang()}};
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
      {"submitted", storage::field_json(job.submitted, Meaning::time)},
      {"waited", waited},
      {"expected_end", storage::field_json(job.expected_end, Meaning::later_time)},
      {"priority", job.priority},
      {"after", job.after.empty() ? Json() : Json(job.after)},
      {"after_end", job.after.empty() ? Json() : Json(afterEndName(job.after_end))},
      {"held", job.held},
      {"preemptible", job.preemptible},
      {"preempted", job.preempted},
      {"crashes", job.crashes},
      {"sweep", run.trial ? Json(run.trial->sweep) : Json()},
      {"trial", run.trial ? Json(run.trial->trial) : Json()},
      {"rung", placed.rung ? Json(*placed.rung) : Json()},
      {"reason", placed.rung ? rungText(run.trial->sweep, *placed.rung) : job.reason}};
}

std::string poolAdvice(storage::Catalogue& catalogue) {
  const auto decision = catalogue.jobs().empty() ? std::nullopt : catalogue.last_decision();
  return decision ? decision->advice : "";
}

double meanWait(const std::vector<PlacedJob>& jobs) {
  if (jobs.empty()) return 0;
  return std::accumulate(jobs.begin(), jobs.end(), 0.0,
                         [](double sum, const PlacedJob& job) { return sum + job.entry.waited; }) /
         static_cast<double>(jobs.size());
}

Json queueJson(storage::Catalogue& catalogue, const std::vector<PlacedJob>& jobs,
               const std::vector<NodeLane>& nodes) {
  Json list = Json::array();
  for (const PlacedJob& job : jobs) list.push_back(jobJson(job));
  return {{"queue", list},
          {"mean_wait", meanWait(jobs)},
          {"advice", poolAdvice(catalogue)},
          {"nodes", nodeLanesJson(nodes)}};
}

}  // namespace batchscope::common
