// SPDX-License-Identifier: Apache-2.0
//
// queue: lists the runs of the pool, in the order in which they would get devices, with the pool's reason for
// each. Trials that wait at a rung, or have ended, share one row for each sweep, unless --trials is given.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>

#include "batchscope/common/heard.h"
#include "batchscope/common/job_text.h"
#include "batchscope/common/node_lanes.h"
#include "batchscope/common/queue_json.h"
#include "batchscope/common/run_json.h"
#include "batchscope/common/trial_fold.h"
#include "batchscope/common/trial_text.h"
#include "batchscope/run/machine.h"
#include "batchscope/run/pool.h"
#include "batchscope/storage/origins.h"
#include "queue/queue_commands.h"
#include "records/job_records.h"
#include "records/store.h"
#include "terminal/json_output.h"
#include "terminal/watch.h"
#include "text/job_note.h"
#include "text/progress_bar.h"
#include "text/say.h"
#include "text/table.h"

namespace batchscope::cli {
namespace {

using Align = Table::Align;
using pool::JobState;

// Returns "2", "1 -> 2" if the pool wants to change the number, or "(auto)", the request of a run that has
// none.
std::string replicasText(const pool::QueueEntry& entry) {
  const storage::Run& run = entry.run;
  if (entry.state >= JobState::succeeded) return run.step > 0 ? std::to_string(run.replicas) : "";
  const std::size_t now = run.devices.empty() ? 0 : static_cast<std::size_t>(run.replicas);
  const std::size_t target = entry.job.target.size();
  if (target > 0 && target != now) return fmt::format("{} -> {}", now, target);
  if (now > 0) return std::to_string(now);
  return fmt::format(
      "({})", run.spec.auto_replicas ? run.spec.auto_replicas->text() : std::to_string(run.spec.replicas));
}

// Returns the pool's reason, and the settings that people have made for the run.
std::string noteOf(storage::Catalogue& catalogue, const common::QueueRow& row) {
  const pool::QueueEntry& entry = row.job.entry;
  const storage::Job& job = entry.job;
  if (!row.trials.empty()) return job.reason;
  if (row.job.rung) return common::rungText(entry.run.trial->sweep, *row.job.rung);
  if (entry.state >= JobState::succeeded) return entry.run.message;
  std::vector<std::string> parts;
  if (job.priority != 0) parts.push_back(say("priority {}", job.priority));
  if (!job.reason.empty()) {
    parts.push_back(job.reason);
  } else {
    if (const auto before = job.after.empty() ? std::nullopt : catalogue.run(job.after))
      if (before->state != protocol::RunState::finished) parts.push_back(say("after {}", title(*before)));
    if (job.held) parts.push_back(say("held until batchscope release {}", entry.run.id));
  }
  return fmt::format("{}", fmt::join(parts, "; "));
}

std::string useText(const std::vector<std::string>& devices, const std::vector<storage::Lease>& leases,
                    const char* kind) {
  const auto used = std::count_if(devices.begin(), devices.end(), [&](const std::string& device) {
    return std::any_of(leases.begin(), leases.end(),
                       [&](const storage::Lease& lease) { return lease.device == device; });
  });
  return say("{} of {}", used, plural(devices.size(), kind));
}

class QueueList {
 public:
  explicit QueueList(const QueueOptions& options) : options_(options), catalogue_(openCatalogue()) {}

  std::string text() {
    const std::vector<common::PlacedJob> jobs = common::placedJobs(catalogue_, options_.all);
    const std::vector<Guest> guests = this->guests();
    if (options_.json) return jsonText(jobs, guests);
    if (jobs.empty() && guests.empty())
      return say("The queue is empty. Put a run into it: batchscope submit train.py") + '\n';
    const std::vector<common::QueueRow> rows = this->rows(jobs);
    std::string text = table(rows, guests).text(terminalStyle(STDOUT_FILENO)) + '\n' + nodes() + totals(jobs);
    if (std::ranges::any_of(rows, [](const common::QueueRow& row) { return !row.trials.empty(); }))
      text += say("Trials are folded under their sweeps: batchscope queue --trials lists them") + '\n';
    return text;
  }

 private:
  // Adds a run that is followed, and that its cluster gives devices.
  struct Guest {
    storage::Run run;
    storage::Origin origin;
  };

  // Returns the followed runs that have not ended.
  std::vector<Guest> guests() {
    std::vector<Guest> guests;
    for (const auto& [id, origin] : origins_.followed())
      if (auto run = catalogue_.run(id);
          run && (run->state == protocol::RunState::pending || is_active(run->state)))
        guests.push_back({std::move(*run), origin});
    return guests;
  }

  std::vector<common::QueueRow> rows(const std::vector<common::PlacedJob>& jobs) const {
    if (!options_.trials) return common::foldQueue(jobs);
    std::vector<common::QueueRow> rows;
    for (const common::PlacedJob& job : jobs) rows.push_back({.job = job});
    return rows;
  }

  // A trial that waits at a rung is not held by anybody.
  static Table::Cell stateCell(const common::PlacedJob& job) {
    if (job.rung) return common::stateText(job.entry, job.rung).toStdString();
    const std::string name = pool::job_state_name(job.entry.state);
    return {name, stateColour(name)};
  }

  Table table(const std::vector<common::QueueRow>& rows, const std::vector<Guest>& guests) {
    Table table({{"#", Align::right},
                 {say("RUN")},
                 {say("NAME"), Align::left, true},
                 {say("STATE")},
                 {say("REPLICAS")},
                 {say("DEVICES"), Align::left, true},
                 {say("WAITED"), Align::right},
                 {say("LEFT"), Align::right}});
    const double now = storage::now();
    for (const common::QueueRow& row : rows) {
      const auto& [run, job, state, waited] = row.job.entry;
      const bool isSweep = !row.trials.empty();
      table.addRow({row.job.place > 0 ? std::to_string(row.job.place) : "", isSweep ? say("sweep") : run.id,
                    run.name, isSweep && !row.job.rung ? "" : stateCell(row.job),
                    isSweep ? "" : replicasText(row.job.entry), run::device_list(run.devices),
                    isSweep ? "" : formatClock(waited),
                    !isSweep && job.expected_end > now && state < JobState::succeeded
                        ? formatClock(job.expected_end - now)
                        : ""});
      if (const std::string note = noteOf(catalogue_, row); !note.empty()) table.addNote(note);
    }
    for (const auto& [run, origin] : guests) {
      const auto heard = common::lastHeard(run, true, now);
      const std::string state =
          heard ? common::lastHeardText(*heard, now) : protocol::run_state_name(run.state);
      table.addRow({"", run.id, run.name, Table::Cell(state, stateColour(state)),
                    run.devices.empty() ? "" : std::to_string(run.replicas), run::device_list(run.devices),
                    "", ""});
      if (const std::string note = jobNote(origin); !note.empty()) table.addNote(note);
    }
    return table;
  }

  // The machines whose devices are shared, a lane each; empty where there is only this one.
  std::string nodes() {
    const std::vector<common::NodeLane> lanes = common::nodeLanes(catalogue_);
    if (!common::areSeveral(lanes)) return {};
    Table table({{say("NODE")}, {say("STATE"), Align::left, true}, {say("RUNS"), Align::left, true}});
    for (const common::NodeLane& lane : lanes)
      table.addRow(
          {common::nodeName(lane).toStdString(),
           {common::nodeText(lane, storage::now()).toStdString(), lane.there ? Colour::none : Colour::yellow},
           common::nodeRunsText(lane).toStdString()});
    return table.text(terminalStyle(STDOUT_FILENO)) + '\n';
  }

  std::string totals(const std::vector<common::PlacedJob>& jobs) {
    const run::Machine machine = run::pool_machine(catalogue_);
    const std::vector<storage::Lease> leases = catalogue_.leases();
    std::string text = useText(machine.cores, leases, "core");
    if (!machine.gpus.empty()) text = useText(machine.gpus, leases, "GPU") + ", " + text;
    const std::string wait = formatClock(common::meanWait(jobs));
    const auto heartbeat = run::kPool.heartbeat();
    text = heartbeat
               ? say("{} in use, mean wait {}, pool heard {} ago", text, wait, formatDuration(heartbeat->age))
               : say("{} in use, mean wait {}", text, wait);
    text += '\n';
    if (const std::string hang = run::kPool.hang(); !hang.empty()) text += printable(hang) + '\n';
    const protocol::PoolSettings settings = catalogue_.pool_settings();
    if (settings.paused)
      text +=
          say("The pool is paused, runs keep the devices that they have: batchscope pool --resume") + '\n';
    if (settings.draining)
      text += say("The pool is draining, nothing is started: batchscope pool --no-drain") + '\n';
    if (const std::string advice = common::poolAdvice(catalogue_); !advice.empty())
      text += printable(advice) + '\n';
    return text;
  }

  std::string jsonText(const std::vector<common::PlacedJob>& jobs, const std::vector<Guest>& guests) {
    protocol::Json elsewhere = protocol::Json::array();
    for (const auto& [run, origin] : guests)
      elsewhere.push_back({{"run", run.id},
                           {"name", run.name},
                           {"state", protocol::run_state_name(run.state)},
                           {"replicas", run.devices.empty() ? 0 : run.replicas},
                           {"devices", run.devices},
                           {"origin", common::originJson(origin)}});
    protocol::Json json = common::queueJson(catalogue_, jobs, common::nodeLanes(catalogue_));
    json["elsewhere"] = elsewhere;
    json["heartbeat"] = common::heartbeatJson(run::kPool);
    return jsonLine(json);
  }

  const QueueOptions& options_;
  storage::Catalogue catalogue_;
  storage::Origins origins_{protocol::catalogue_path()};
};

}  // namespace

int showQueue(const QueueOptions& options) {
  QueueList list(options);
  if (options.watch)
    watch([&] { return list.text(); });
  else
    fmt::print("{}", list.text());
  return kExitOk;
}

}  // namespace batchscope::cli
