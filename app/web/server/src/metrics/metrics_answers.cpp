// SPDX-License-Identifier: Apache-2.0
#include "metrics/metrics_answers.h"

#include <algorithm>
#include <set>
#include <utility>

#include "answer.h"
#include "batchscope/pool/queue.h"
#include "batchscope/protocol/series.h"
#include "batchscope/run/machine.h"
#include "batchscope/run/node_devices.h"
#include "metrics/metrics_text.h"

namespace batchscope::web {
namespace {

using protocol::RunState;

// Each live run, and each job that waits, is some series: as many as the list of runs has at most.
constexpr std::size_t kMostTold = 1000;
constexpr char kGpu[] = "gpu", kCpu[] = "cpu";

Metrics::Run live_run(storage::Catalogue& catalogue, const storage::Run& run) {
  Metrics::Run told{.id = run.id,
                    .name = run.name,
                    .replicas = run.state == RunState::paused ? 0 : run.replicas,
                    .devices = run.devices.size(),
                    .step = run.step,
                    .fraction = run.fraction,
                    .restarts = run.restarts,
                    .latest = run.latest};
  if (run.state != RunState::running)
    for (const char* speed : {protocol::series::kThroughput, protocol::series::kGoodput})
      told.latest.erase(speed);
  for (const storage::Generation& generation : catalogue.generations(run.id)) {
    if (!(generation.pause >= 0)) continue;
    ++told.pauses;
    told.pause_seconds += generation.pause;
  }
  return told;
}

void tell_runs(storage::Catalogue& catalogue, const std::vector<storage::Run>& runs, Metrics& metrics) {
  for (RunState state = RunState::pending; state <= RunState::damaged;
       state = static_cast<RunState>(static_cast<int>(state) + 1))
    metrics.runs[protocol::run_state_name(state)] = 0;
  for (const storage::Run& run : runs) {
    if (storage::is_lesson(run)) continue;
    ++metrics.runs[protocol::run_state_name(run.state)];
    if (protocol::is_active(run.state) && metrics.live.size() < kMostTold)
      metrics.live.push_back(live_run(catalogue, run));
  }
}

void tell_queue(storage::Catalogue& catalogue, Metrics& metrics) {
  for (pool::JobState state = pool::JobState::pending; state < pool::JobState::succeeded;
       state = static_cast<pool::JobState>(static_cast<int>(state) + 1))
    metrics.jobs[pool::job_state_name(state)] = 0;
  for (const pool::QueueEntry& entry : pool::queue(catalogue)) {
    ++metrics.jobs[pool::job_state_name(entry.state)];
    if (metrics.waits.size() < kMostTold)
      metrics.waits.push_back({entry.run.id, entry.run.name, entry.waited});
  }
}

void tell_devices(storage::Catalogue& catalogue, Metrics& metrics) {
  const run::Machine machine = run::Machine::here();
  metrics.devices = {{kGpu, machine.gpus.size()}, {kCpu, machine.cores.size()}};
  metrics.devices_in_use = {{kGpu, 0}, {kCpu, 0}};
  std::set<std::string> held;  // one device may be held by two runs
  for (const storage::Lease& lease : catalogue.leases()) held.insert(lease.device);
  for (const std::string& device : held)
    if (run::node_of_device(device).empty()) ++metrics.devices_in_use[run::is_gpu(device) ? kGpu : kCpu];
}

// Asks the catalogue anew, also where nothing was written: only so is a run found whose supervisor was
// killed.
Metrics metrics_of(storage::Catalogue& catalogue, JobCounts& counts) {
  const std::vector<storage::Run> runs = catalogue.runs();
  Metrics metrics;
  metrics.version = BATCHSCOPE_VERSION;
  tell_runs(catalogue, runs, metrics);
  tell_queue(catalogue, metrics);
  tell_devices(catalogue, metrics);
  counts.look(catalogue, runs);
  metrics.submitted = counts.submitted();
  metrics.completed = counts.completed();
  return metrics;
}

// Prometheus names OpenMetrics among what it takes, and curl takes everything.
MetricsFormat format_for(std::string_view accept) {
  const auto names = [&](std::string_view type) { return accept.find(type) != std::string_view::npos; };
  return names("text/plain") && !names("application/openmetrics-text") ? MetricsFormat::prometheus
                                                                       : MetricsFormat::openmetrics;
}

const char* content_type(MetricsFormat format) {
  return format == MetricsFormat::openmetrics ? "application/openmetrics-text; version=1.0.0; charset=utf-8"
                                              : "text/plain; version=0.0.4; charset=utf-8";
}

}  // namespace

void MetricsAnswers::answer(const http::Request& request, const http::Reply& reply) {
  const MetricsFormat format = format_for(request.field("accept"));
  reads_.post([this, format, reply](Store& store) -> Worker::Rest {
    http::Response response = answer_of([&] {
      http::Response made{200, metrics_text(metrics_of(store.catalogue(), counts_), format),
                          content_type(format)};
      made.fields = {{"Cache-Control", "no-store"}};
      return made;
    });
    return [reply, response = std::move(response)] { reply(response); };
  });
}

}  // namespace batchscope::web
