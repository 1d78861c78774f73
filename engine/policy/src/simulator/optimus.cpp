// SPDX-License-Identifier: Apache-2.0
//
// Optimus (Peng et al., EuroSys 2018) as the published simulator has it, which lets it know the true step
// time and the true number of iterations left: every job gets one device, then each further one goes where it
// takes most off the time that is left.
#include <algorithm>
#include <numeric>

#include "scheduler.h"

namespace batchscope::policy {
namespace {

class Gain {
 public:
  Gain(const SimulatedJob& job, const Cluster& cluster)
      : job_(job), node_(std::max(cluster.front().devices, 1)) {
    const Application& application = job.application();
    const std::int64_t size = job.submission().batch_size;
    const int last = application.epochs() - 1;
    iterations_ = last <= job.epoch()
                      ? 1
                      : application.iterations(size, last) - application.iterations(size, job.epoch());
  }

  // s less by one replica more.
  double operator()(int count) const { return (step_time(count) - step_time(count + 1)) * iterations_; }

 private:
  double step_time(int count) const {
    return step_seconds(job_.application(), job_.submission().batch_size, count, node_,
                        /*at_least_two_alone=*/true);
  }

  const SimulatedJob& job_;
  int node_;
  double iterations_;
};

class Optimus : public Scheduler {
 public:
  std::vector<Placement> decide(double, std::span<const SimulatedJob* const> jobs,
                                const SimulationOptions& options) override {
    int left = devices(options.cluster, 0);
    std::vector<int> counts(jobs.size());
    std::vector<double> gains(jobs.size());
    std::vector<Gain> gain;
    const auto value = [&](std::size_t i) {
      const int most = jobs[i]->application().max_replicas(jobs[i]->submission().batch_size);
      return counts[i] + 1 > most || left < 1 ? 0.0 : gain[i](counts[i]);
    };
    for (std::size_t i = 0; i < jobs.size(); ++i) {
      gain.emplace_back(*jobs[i], options.cluster);
      if (left < 1) continue;
      counts[i] = 1;
      --left;
      gains[i] = value(i);
    }
    while (left > 0 && !gains.empty()) {
      const auto best = std::max_element(gains.begin(), gains.end());
      if (*best <= 0) break;
      const auto i = static_cast<std::size_t>(best - gains.begin());
      ++counts[i];
      *best = value(i);
      --left;
    }
    return place(jobs, counts, options.cluster);
  }

 private:
  static std::vector<Placement> place(std::span<const SimulatedJob* const> jobs,
                                      const std::vector<int>& counts, const Cluster& cluster) {
    std::vector<Placement> placements(jobs.size());
    std::vector<std::size_t> order(jobs.size());
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return counts[a] < counts[b]; });
    for (std::size_t i = 0; i < jobs.size(); ++i)
      if (replicas(jobs[i]->placement()) == counts[i]) placements[i] = jobs[i]->placement();
    std::vector<int> free = free_devices(cluster, placements);
    for (const std::size_t i : order)
      if (placements[i].empty()) placements[i] = take_from_freest(free, counts[i]);
    return placements;
  }
};

}  // namespace

std::unique_ptr<Scheduler> make_optimus() { return std::make_unique<Optimus>(); }

}  // namespace batchscope::policy
