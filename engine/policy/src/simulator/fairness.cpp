// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "batchscope/goodput/noise_scale.h"
#include "batchscope/policy/simulation.h"
#include "simulated_job.h"

namespace batchscope::policy {
namespace {

// The most scale-invariant iterations a second in this epoch, among the batch sizes that were measured.
double best_speed(const Application& application, const std::vector<int>& per_node, int count, int epoch) {
  constexpr double kGrowth = 1.1;  // of the local batch sizes that are tried
  const auto init = static_cast<double>(application.init_batch_size());
  double best = 0;
  const auto consider = [&](std::int64_t local, std::int64_t steps) {
    const std::int64_t size = count * local * (steps + 1);
    if (size < application.init_batch_size() || size > application.max_batch_size()) return;
    const goodput::GradParams gradient = application.gradient(size, epoch);
    const StepTimes times = application.step_times(per_node, local);
    const double gain = goodput::gain_of(gradient.sqr, gradient.var, static_cast<double>(size) / init);
    best = std::max(best, gain / (times.step + (times.step - times.sync) * static_cast<double>(steps)));
  };
  const std::int64_t low = application.min_local_batch_size(), high = application.max_local_batch_size();
  const std::int64_t share = (application.init_batch_size() + count - 1) / count;
  consider(std::clamp(share, low, high), 0);
  for (std::int64_t local = low; local < high;
       local =
           std::max(local + 1, static_cast<std::int64_t>(std::ceil(static_cast<double>(local) * kGrowth))))
    consider(local, 0);
  for (std::int64_t steps = 0; count * high * (steps + 1) <= application.max_batch_size(); ++steps)
    consider(high, steps);
  return best;
}

class Alone {
 public:
  explicit Alone(const SimulationOptions& options) : options_(options) {}

  // s that an application takes with so many devices for itself.
  double seconds(const Application& application, int count) {
    const auto [known, absent] = known_.try_emplace({application.name(), count});
    if (!absent) return known->second;
    const int node = std::max(options_.cluster.front().devices, 1);
    const std::vector<int> per_node = on_nodes_of(node, count);
    double seconds = options_.restart;
    for (int epoch = 0; epoch < application.epochs(); ++epoch)
      seconds += (application.progress(epoch + 1) - application.progress(epoch)) /
                 best_speed(application, per_node, count, epoch);
    return known->second = seconds;
  }

 private:
  const SimulationOptions& options_;
  std::map<std::pair<std::string, int>, double> known_;
};

// Jobs that were there while this one was, on average over its time, itself included.
double contention(const std::vector<JobOutcome>& jobs, const JobOutcome& job) {
  double together = 0;
  for (const JobOutcome& other : jobs)
    together +=
        std::max(0.0, std::min(job.completed, other.completed) - std::max(job.submitted, other.submitted));
  return std::max(1.0, together / job.completion_time());
}

}  // namespace

std::vector<double> finish_time_fairness(const std::vector<JobOutcome>& jobs,
                                         const Applications& applications, const SimulationOptions& options) {
  Alone alone(options);
  const int all = devices(options.cluster, 0);
  std::vector<double> fairness;
  for (const JobOutcome& job : jobs) {
    const Application& application = applications.at(job.application);
    const int most = std::min(all, application.max_replicas(application.max_batch_size()));
    const int share = std::clamp(static_cast<int>(all / contention(jobs, job)), 1, most);
    fairness.push_back(job.completion_time() / alone.seconds(application, share));
  }
  return fairness;
}

}  // namespace batchscope::policy
