// SPDX-License-Identifier: Apache-2.0
#include "batchscope/policy/forecast.h"

#include <algorithm>
#include <cmath>

#include "batchscope/policy/decision.h"

namespace batchscope::policy {
namespace {

class Forecaster {
 public:
  Forecaster(std::span<const Job> jobs, const Cluster& cluster, Objective objective)
      : cluster_(cluster), objective_(objective), ends_(jobs.size()) {
    for (std::size_t i = 0; i < jobs.size(); ++i) {
      if (jobs[i].goodput && jobs[i].remaining && *jobs[i].remaining <= 0) {
        ends_[i] = 0;
        continue;
      }
      jobs_.push_back(unmoved(jobs[i]));
      index_.push_back(i);
    }
    pause_.resize(jobs_.size());
  }

  std::vector<std::optional<double>> run() {
    while (std::any_of(jobs_.begin(), jobs_.end(), known)) {
      std::vector<double> speeds = decide();
      if (!somebody_ends(speeds)) speeds = take_turns(std::move(speeds));
      if (!somebody_ends(speeds)) break;
      advance(speeds);
    }
    return std::move(ends_);
  }

 private:
  static bool known(const Job& job) { return job.goodput && job.remaining; }

  bool somebody_ends(const std::vector<double>& speeds) const {
    for (std::size_t i = 0; i < jobs_.size(); ++i)
      if (known(jobs_[i]) && speeds[i] > 0) return true;
    return false;
  }

  // Decides, and returns each job's speed afterwards.
  std::vector<double> decide() {
    const Decision decision = policy::decide(jobs_, cluster_, objective_);
    std::vector<double> speeds;
    for (std::size_t i = 0; i < jobs_.size(); ++i) {
      Job& job = jobs_[i];
      const Allocation& allocation = decision.jobs[i];
      job.placement = allocation.placement;
      job.waited = job.placement.empty() ? job.waited + 1 : 0;
      if (allocation.changed && !job.placement.empty()) {
        pause_[i] = job.pause;
        ++job.restarts;
      }
      speeds.push_back(speed(job));
    }
    return speeds;
  }

  double speed(const Job& job) const {
    if (!job.goodput || job.placement.empty()) return 0;
    const int kind = cluster_[static_cast<std::size_t>(job.placement.front().node)].kind;
    const double goodput = job.goodput(kind, static_cast<int>(job.placement.size()), replicas(job.placement));
    return std::isfinite(goodput) ? std::max(goodput, 0.0) : 0;
  }

  // The mean of as many decisions as let everybody have devices once, the first of which is made.
  std::vector<double> take_turns(std::vector<double> sum) {
    int all = 0;
    for (const Node& node : cluster_) all += node.devices;
    if (all == 0) return sum;
    const int turns = (static_cast<int>(jobs_.size()) + all - 1) / all + 1;
    for (int turn = 1; turn < turns; ++turn) {
      const std::vector<double> speeds = decide();
      for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += speeds[i];
    }
    for (double& speed : sum) speed /= turns;
    return sum;
  }

  // Advances to the next end.
  void advance(const std::vector<double>& speeds) {
    double seconds = HUGE_VAL;
    const auto left = [&](std::size_t i) {
      return known(jobs_[i]) && speeds[i] > 0 ? pause_[i] + *jobs_[i].remaining / speeds[i] : HUGE_VAL;
    };
    std::size_t first = 0;
    for (std::size_t i = 0; i < jobs_.size(); ++i)
      if (left(i) < seconds) {
        seconds = left(i);
        first = i;
      }
    now_ += seconds;
    for (std::size_t i = 0; i < jobs_.size(); ++i) {
      jobs_[i].age += seconds;
      const double paused = std::min(pause_[i], seconds);
      pause_[i] -= paused;
      if (known(jobs_[i])) *jobs_[i].remaining -= (seconds - paused) * speeds[i];
    }
    jobs_[first].remaining = 0;
    leave();
  }

  // Removes the jobs that have nothing left to do.
  void leave() {
    for (std::size_t i = jobs_.size(); i-- > 0;) {
      if (!known(jobs_[i]) || *jobs_[i].remaining > 0) continue;
      ends_[index_[i]] = now_;
      const auto at = static_cast<std::ptrdiff_t>(i);
      jobs_.erase(jobs_.begin() + at);
      index_.erase(index_.begin() + at);
      pause_.erase(pause_.begin() + at);
    }
  }

  const Cluster& cluster_;
  const Objective objective_;
  std::vector<std::optional<double>> ends_;
  std::vector<Job> jobs_;           // that have not ended
  std::vector<std::size_t> index_;  // of each of them in what was asked
  std::vector<double> pause_;       // s that each has still to pay
  double now_ = 0;
};

}  // namespace

std::vector<std::optional<double>> forecast(std::span<const Job> jobs, const Cluster& cluster,
                                            Objective objective) {
  return Forecaster(jobs, cluster, objective).run();
}

Job unmoved(Job job) {
  job.left_alone = false;
  job.reluctance = 0;
  return job;
}

}  // namespace batchscope::policy
