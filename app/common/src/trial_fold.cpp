// SPDX-License-Identifier: Apache-2.0
#include "batchscope/common/trial_fold.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <utility>

#include "batchscope/storage/record_json.h"

namespace batchscope::common {
namespace {

using protocol::Json;
using protocol::RunState;
using storage::Run;

bool hasEnded(const PlacedJob& job) { return job.entry.state >= pool::JobState::succeeded; }

// Entries with the same key, which is not empty, are one row in the place of the first of them.
std::vector<std::vector<std::size_t>> rowsByKey(const std::vector<std::string>& keys) {
  std::vector<std::vector<std::size_t>> rows;
  std::map<std::string, std::size_t> rowOf;
  for (std::size_t entry = 0; entry < keys.size(); ++entry) {
    const auto [row, isNew] = rowOf.try_emplace(keys[entry], rows.size());
    if (isNew || keys[entry].empty())
      rows.push_back({entry});
    else
      rows[row->second].push_back(entry);
  }
  return rows;
}

RunState stateOf(storage::SweepState state) {
  switch (state) {
    case storage::SweepState::running: return RunState::running;
    case storage::SweepState::paused: return RunState::paused;
    case storage::SweepState::stopped: return RunState::stopped;
    case storage::SweepState::finished: return RunState::finished;
    case storage::SweepState::failed: return RunState::failed;
  }
  return RunState::running;
}

std::optional<BestTrial> bestOf(const std::vector<Run>& trials, const ListedSweep& sweep) {
  std::optional<std::pair<std::pair<int, double>, BestTrial>>
      best;  // with its rank, the least of which is the best
  for (const Run& run : trials) {
    const auto found = sweep.trials.find(run.trial->trial);
    if (found == sweep.trials.end() || !found->second.value || !std::isfinite(*found->second.value)) continue;
    const auto& [rung, rests, reached, value] = found->second;
    const std::pair rank(-reached, sweep::cost_of(sweep.goal, *value));
    if (!best || rank < best->first) best = {rank, {sweep.metric, *value, run.trial->trial}};
  }
  if (!best || sweep.metric.empty()) return std::nullopt;
  return best->second;
}

// The sweep in the fields of a run.
Run summaryOf(const std::vector<Run>& trials) {
  Run summary;
  summary.name = trials.front().trial->sweep;
  summary.spec.group = trials.front().spec.group;
  summary.state = trials.front().state;
  summary.replicas = 0;
  for (const Run& run : trials) {
    summary.created = std::max(summary.created, run.created);
    if (is_active(run.state) && run.state != RunState::paused) summary.replicas += run.replicas;
    summary.devices.insert(summary.devices.end(), run.devices.begin(), run.devices.end());
  }
  return summary;
}

// "8 wait at rung 1, 1 waits at rung 0 of digits-lr"
std::string waitText(const std::vector<PlacedJob>& trials) {
  std::map<int, std::size_t, std::greater<>> counts;
  for (const PlacedJob& job : trials) ++counts[*job.rung];
  std::string text;
  for (const auto& [rung, count] : counts) text += (text.empty() ? "" : ", ") + rungCount(count, rung);
  return text + " of " + trials.front().entry.run.trial->sweep;
}

}  // namespace

std::vector<RunRow> foldTrials(std::vector<Run> runs, const ListedSweeps& sweeps) {
  std::vector<std::string> keys;
  for (const Run& run : runs) keys.push_back(run.trial ? run.trial->sweep : std::string());
  std::vector<RunRow> rows;
  for (const auto& entries : rowsByKey(keys)) {
    RunRow& row = rows.emplace_back();
    if (entries.size() == 1) {
      row.run = std::move(runs[entries.front()]);
      continue;
    }
    for (const std::size_t entry : entries) row.trials.push_back(std::move(runs[entry]));
    row.run = summaryOf(row.trials);
    row.text = trialsText(row.trials, sweeps);
    const auto sweep = sweeps.find(row.run.name);
    if (sweep == sweeps.end()) continue;
    row.run.state = stateOf(sweep->second.state);
    row.best = bestOf(row.trials, sweep->second);
    if (row.best) row.run.latest[row.best->metric] = row.best->value;
  }
  return rows;
}

Json rowJson(const RunRow& row) {
  Json json = storage::run_json(row.run);
  json["fold"] = nullptr;
  if (row.trials.empty()) return json;
  Json best;
  if (row.best)
    best = {{"metric", row.best->metric},
            {"value", protocol::encode_number(row.best->value)},
            {"trial", row.best->trial}};
  json["fold"] = {{"trials", row.trials.size()}, {"text", row.text}, {"best", std::move(best)}};
  return json;
}

bool unfolds(const storage::RunFilter& filter) {
  return filter.mentions("sweep") || filter.mentions("trial");
}

Json rowJson(const QueueRow& row) {
  const pool::QueueEntry& entry = row.job.entry;
  if (row.trials.empty()) return {{"run", entry.run.id}};
  Json runs = Json::array();
  for (const PlacedJob& job : row.trials) runs.push_back(job.entry.run.id);
  return {{"sweep", entry.run.name},
          {"state", pool::job_state_name(entry.state)},
          {"text", entry.job.reason},
          {"runs", std::move(runs)}};
}

std::vector<QueueRow> foldQueue(std::vector<PlacedJob> jobs) {
  std::stable_partition(jobs.begin(), std::ranges::find_if(jobs, hasEnded),
                        [](const PlacedJob& job) { return !job.rung; });
  std::vector<std::string> keys;
  for (const PlacedJob& job : jobs) {
    const bool folds = job.entry.run.trial && (job.rung || hasEnded(job));
    keys.push_back(folds ? (hasEnded(job) ? "ended " : "waits ") + job.entry.run.trial->sweep : "");
  }
  std::vector<QueueRow> rows;
  for (const auto& entries : rowsByKey(keys)) {
    QueueRow& row = rows.emplace_back();
    row.job = jobs[entries.front()];
    if (entries.size() == 1) continue;
    std::vector<Run> runs;
    for (const std::size_t entry : entries) {
      runs.push_back(jobs[entry].entry.run);
      row.trials.push_back(std::move(jobs[entry]));
    }
    row.job.entry.run = summaryOf(runs);
    row.job.entry.job.reason = hasEnded(row.job) ? trialsText(runs, {}) : waitText(row.trials);
  }
  return rows;
}

}  // namespace batchscope::common
