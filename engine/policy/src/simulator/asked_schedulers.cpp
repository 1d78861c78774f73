// SPDX-License-Identifier: Apache-2.0
//
// Two yardsticks that give each job the replicas that it asked for. fifo: in the order of submission, nobody
// overtakes and nobody is stopped. srtf: the shortest remaining time first, as if each were alone with what
// it asked for; whoever fits runs, and the others are stopped.
#include <algorithm>
#include <numeric>

#include "batchscope/goodput/noise_scale.h"
#include "scheduler.h"

namespace batchscope::policy {
namespace {

int wanted(const SimulatedJob& job) { return job.submission().num_replicas; }

class Fifo : public Scheduler {
 public:
  std::vector<Placement> decide(double, std::span<const SimulatedJob* const> jobs,
                                const SimulationOptions& options) override {
    std::vector<Placement> placements;
    for (const SimulatedJob* job : jobs) placements.push_back(job->placement());
    std::vector<int> free = free_devices(options.cluster, placements);
    int left = std::accumulate(free.begin(), free.end(), 0);
    for (std::size_t i = 0; i < jobs.size(); ++i) {
      if (!placements[i].empty()) continue;
      if (wanted(*jobs[i]) > left) break;
      placements[i] = take_from_freest(free, wanted(*jobs[i]));
      left -= wanted(*jobs[i]);
    }
    return placements;
  }
};

// s that the rest of a job takes with what it asked for, each epoch at its true speed.
double remaining_time(const SimulatedJob& job, int node) {
  const Application& application = job.application();
  const int count = wanted(job);
  const std::int64_t size = job.submission().batch_size;
  const double step = step_seconds(application, size, count, node, size > application.init_batch_size());
  const double scale = static_cast<double>(size) / static_cast<double>(application.init_batch_size());
  double seconds = 0, from = job.progress();
  for (int epoch = job.epoch(); epoch < application.epochs(); ++epoch) {
    const goodput::GradParams gradient = application.gradient(size, epoch);
    const double gain = goodput::gain_of(gradient.sqr, gradient.var, scale);
    seconds += (application.progress(epoch + 1) - from) * step / gain;
    from = application.progress(epoch + 1);
  }
  return seconds;
}

class Srtf : public Scheduler {
 public:
  std::vector<Placement> decide(double, std::span<const SimulatedJob* const> jobs,
                                const SimulationOptions& options) override {
    const int node = std::max(options.cluster.front().devices, 1);
    std::vector<double> remaining;
    for (const SimulatedJob* job : jobs) remaining.push_back(remaining_time(*job, node));
    std::vector<std::size_t> order(jobs.size());
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return remaining[a] < remaining[b]; });
    std::vector<Placement> placements(jobs.size());
    std::vector<std::size_t> starting;
    int left = devices(options.cluster, 0);
    for (const std::size_t i : order) {
      if (wanted(*jobs[i]) > left) continue;
      left -= wanted(*jobs[i]);
      placements[i] = jobs[i]->placement();
      if (placements[i].empty()) starting.push_back(i);
    }
    std::vector<int> free = free_devices(options.cluster, placements);
    for (const std::size_t i : starting) placements[i] = take_from_freest(free, wanted(*jobs[i]));
    return placements;
  }
};

}  // namespace

Placement take_from_freest(std::vector<int>& free, int count) {
  Placement placement;
  while (count > 0) {
    const auto freest = std::max_element(free.begin(), free.end());
    const int taken = std::min(count, *freest);
    placement.push_back({static_cast<int>(freest - free.begin()), taken});
    *freest -= taken;
    count -= taken;
  }
  return placement;
}

std::vector<int> free_devices(const Cluster& cluster, std::span<const Placement> taken) {
  std::vector<int> free;
  for (const Node& node : cluster) free.push_back(node.devices);
  for (const Placement& placement : taken)
    for (const Share& share : placement) free[static_cast<std::size_t>(share.node)] -= share.devices;
  return free;
}

std::unique_ptr<Scheduler> make_fifo() { return std::make_unique<Fifo>(); }
std::unique_ptr<Scheduler> make_srtf() { return std::make_unique<Srtf>(); }

}  // namespace batchscope::policy
