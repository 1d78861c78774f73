// SPDX-License-Identifier: Apache-2.0
#include "batchscope/pool/queue.h"

#include <fmt/core.h>

#include <QThread>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <map>

#include "batchscope/protocol/error.h"
#include "batchscope/protocol/paths.h"
#include "batchscope/protocol/time_outs.h"
#include "batchscope/run/client.h"
#include "batchscope/run/machine.h"
#include "batchscope/run/pool.h"
#include "devices.h"
#include "predecessor.h"

namespace batchscope::pool {

using protocol::RunState;
using storage::Catalogue;
using storage::Job;
using storage::Run;

namespace {

// Seconds in which a run had devices, from events by their begin.
double time_with_devices(const std::vector<storage::LeaseEvent>& events, double now) {
  double sum = 0, covered = 0;
  for (const storage::LeaseEvent& event : events) {
    const double until = event.until > 0 ? event.until : now;
    sum += std::max(until - std::max(event.since, covered), 0.0);
    covered = std::max(covered, until);
  }
  return sum;
}

QueueEntry entry_of(Catalogue& catalogue, const Run& run, const Job& job,
                    const std::vector<storage::LeaseEvent>& events) {
  const double end = run.ended > 0 ? run.ended : storage::now();
  QueueEntry entry{run, job, job_state(run, job),
                   std::max(end - job.submitted - time_with_devices(events, end), 0.0)};
  // A pool that has nothing else to do has ended, and does not say why.
  if (job.held && entry.state < JobState::succeeded) {
    const Predecessor before = predecessor(catalogue, job);
    entry.job.reason = before.state == Predecessor::State::in_vain ? in_vain_text(job, before) : "";
  }
  return entry;
}

constexpr const char* kCarried[] = {"PATH",        "LD_LIBRARY_PATH", "PYTHONPATH",       "PYTHONHOME",
                                    "VIRTUAL_ENV", "CONDA_PREFIX",    "CONDA_DEFAULT_ENV"};

// Throws where the run is in no state for what is asked.
Run run_in_queue(Catalogue& catalogue, const std::string& id) {
  const auto run = catalogue.run(id);
  if (!run) throw Error(ErrorKind::not_found, fmt::format("there is no run {}", id));
  const auto job = catalogue.job(id);
  if (!job && run->state == RunState::finished)
    throw Error(ErrorKind::not_found,
                fmt::format("{} ({}) has finished, and is not in the queue", run->name, id));
  if (!job)
    throw Error(ErrorKind::not_found,
                fmt::format("{} ({}) is not in the queue: batchscope pause, resume and stop act on it",
                            run->name, id));
  const JobState state = job_state(*run, *job);
  if (state < JobState::succeeded) return *run;
  const std::string end = state == JobState::succeeded   ? "has finished"
                          : state == JobState::cancelled ? "was stopped"
                                                         : "has failed";
  throw Error(ErrorKind::conflict,
              fmt::format("{} ({}) {}{}", run->name, id, end,
                          protocol::is_resumable(run->state)
                              ? ": `batchscope resume " + id + "` puts it back into the queue"
                              : ""));
}

struct StorePool {
  protocol::PoolSettings settings = {};
  std::vector<protocol::PoolNode> nodes = {};
};

StorePool pool_of_store() {
  if (!std::filesystem::exists(protocol::catalogue_path())) return {};
  Catalogue catalogue(protocol::catalogue_path());
  return {catalogue.pool_settings(), run::pool_nodes(catalogue)};
}

}  // namespace

const char* job_state_name(JobState state) noexcept {
  switch (state) {
    case JobState::pending: return "pending";
    case JobState::held: return "held";
    case JobState::starting: return "starting";
    case JobState::running: return "running";
    case JobState::paused: return "paused";
    case JobState::stopping: return "stopping";
    case JobState::succeeded: return "succeeded";
    case JobState::failed: return "failed";
    case JobState::cancelled: return "cancelled";
  }
  return "unknown";
}

JobState job_state(const Run& run, const Job& job) noexcept {
  switch (run.state) {
    case RunState::finished: return JobState::succeeded;
    case RunState::damaged:
    case RunState::failed: return JobState::failed;
    case RunState::stopped: return JobState::cancelled;
    case RunState::stopping: return JobState::stopping;
    case RunState::starting: return JobState::starting;
    case RunState::running:
    case RunState::restarting: return JobState::running;
    case RunState::pausing:
    case RunState::paused:
      return (job.preempted || !job.rests) && !job.held ? JobState::paused : JobState::held;
    case RunState::pending:
    case RunState::interrupted: return job.held ? JobState::held : JobState::pending;
  }
  return JobState::pending;
}

std::vector<QueueEntry> queue(Catalogue& catalogue, bool ended) {
  std::map<std::string, std::vector<storage::LeaseEvent>> events;
  for (storage::LeaseEvent& event : catalogue.lease_events(0)) events[event.run].push_back(std::move(event));
  std::vector<QueueEntry> entries;
  for (const Job& job : catalogue.jobs())
    // One that ends meanwhile is among those that have.
    if (const auto run = catalogue.run(job.run); run && job_state(*run, job) < JobState::succeeded)
      entries.push_back(entry_of(catalogue, *run, job, events[job.run]));
  if (!ended) return entries;
  std::vector<QueueEntry> history;
  for (const Run& run : catalogue.runs())
    if (const auto job = catalogue.job(run.id); job && job_state(run, *job) >= JobState::succeeded)
      history.push_back(entry_of(catalogue, run, *job, events[run.id]));
  std::stable_sort(history.begin(), history.end(),
                   [](const QueueEntry& a, const QueueEntry& b) { return a.run.ended > b.run.ended; });
  entries.insert(entries.end(), history.begin(), history.end());
  return entries;
}

void check_submit(const protocol::RunSpec& spec) {
  run::check_spec(spec);
  if (spec.device.starts_with("cuda:"))
    throw Error(ErrorKind::usage,
                fmt::format("--device {}: the pool chooses among the GPUs; use cuda", spec.device));
  const auto [settings, nodes] = pool_of_store();
  const run::Machine machine = run::pool_machine(settings, nodes);
  const int of_each = spec.devices_of_each(), devices = devices_at_once(spec, devices_for(spec, machine));
  const int least = device_range(spec, devices).min;
  // A node that is away may come, with nobody knows how many.
  const bool all_there =
      settings.nodes_from.empty() && std::ranges::all_of(nodes, &protocol::PoolNode::there);
  if (least <= devices || !all_there) return;
  const int replicas = least / of_each;
  throw Error(
      ErrorKind::conflict,
      fmt::format("the run needs at least {} replica{}{}, and {} {} {}{} for them: ask for fewer", replicas,
                  replicas == 1 ? "" : "s",
                  of_each == 1 ? "" : fmt::format(" with {} {}s each", of_each, devices_kind(spec, machine)),
                  nodes.empty()  ? "this machine has"
                  : of_each == 1 ? "the pool's nodes have"
                                 : "a node of the pool has at most",
                  devices, devices_kind(spec, machine), devices == 1 ? "" : "s"));
}

protocol::RunSpec with_environment(protocol::RunSpec spec) {
  for (const char* name : kCarried)
    if (const char* value = std::getenv(name)) spec.environment.emplace(name, value);
  return spec;
}

std::string submit(Catalogue& catalogue, const protocol::RunSpec& spec, const JobOptions& options) {
  check_submit(spec);
  if (!options.after.empty() && !catalogue.run(options.after))
    throw Error(ErrorKind::not_found, "--after: there is no run " + options.after);
  Job job;
  job.priority = options.priority;
  job.after = options.after;
  job.after_end = options.after_end;
  job.held = options.held;
  job.preemptible = !options.pin;
  const std::string id = catalogue.submit_run(with_environment(spec), job);
  run::kPool.start();
  return id;
}

void cancel(Catalogue& catalogue, const std::string& id) {
  run_in_queue(catalogue, id);
  const auto deadline = std::chrono::steady_clock::now() + protocol::time_out::kSupervisorStart;
  protocol::Request stop;
  stop.command = protocol::Request::Command::stop;
  // One that the pool is just starting has nobody yet who could be told, or who listens.
  while (!catalogue.cancel_waiting(id, "cancelled")) {
    try {
      run::request(id, stop);
      return;
    } catch (const Error& error) {
      const bool starting = error.kind() == ErrorKind::not_found || error.kind() == ErrorKind::io;
      if (!starting || std::chrono::steady_clock::now() > deadline) throw;
    }
    QThread::msleep(20);
  }
}

void hold(Catalogue& catalogue, const std::string& id) {
  run_in_queue(catalogue, id);
  catalogue.hold(id, true);
  if (catalogue.pool_needed()) run::kPool.start();
}

void release(Catalogue& catalogue, const std::string& id) {
  run_in_queue(catalogue, id);
  if (const auto job = catalogue.job(id); predecessor(catalogue, *job).state == Predecessor::State::in_vain)
    catalogue.forget_after(id);
  catalogue.go_on(id);
  run::kPool.start();
}

void prioritise(Catalogue& catalogue, const std::string& id, int priority) {
  run_in_queue(catalogue, id);
  catalogue.prioritise(id, priority);
}

void ask_replicas(Catalogue& catalogue, const std::string& id, const protocol::Request& rescale) {
  protocol::RunSpec spec = run_in_queue(catalogue, id).spec;
  if (!rescale.devices.empty()) throw run::devices_are_the_pools(id);
  spec.auto_replicas = rescale.auto_replicas;
  spec.replicas = rescale.replicas.value_or(spec.replicas);
  check_submit(spec);
  catalogue.set_spec(id, spec);
  if (catalogue.pool_needed()) run::kPool.start();
}

void configure(Catalogue& catalogue, const std::function<void(protocol::PoolSettings&)>& change) {
  bool looks_for_nodes = false;
  catalogue.change_pool_settings([&](protocol::PoolSettings& settings) {
    const std::string agents = settings.agents;
    change(settings);
    looks_for_nodes = settings.agents != agents || settings.nodes_ending;
  });
  if (looks_for_nodes || catalogue.pool_needed()) run::kPool.start();
}

}  // namespace batchscope::pool
