// SPDX-License-Identifier: Apache-2.0
#include "batchscope/policy/simulation.h"

#include <algorithm>
#include <cmath>
#include <deque>
#include <stdexcept>

#include "scheduler.h"

namespace batchscope::policy {
namespace {

void require(bool holds, const std::string& what) {
  if (!holds) throw std::invalid_argument(what);
}

void check(const SimulationOptions& options) {
  require(std::isfinite(options.interval) && options.interval > 0, "the interval must be positive");
  require(std::isfinite(options.restart) && options.restart >= 0, "a restart must take at least 0 s");
  require(options.interference >= 0 && options.interference < 1,
          "interference must be at least 0 and below 1");
  require(devices(options.cluster, 0) > 0 && kinds(options.cluster) == 1,
          "the simulator needs devices of one kind, at least one");
}

class Simulation {
 public:
  Simulation(const std::vector<Submission>& workload, const Applications& applications,
             const std::string& policy, const SimulationOptions& options)
      : options_(options), scheduler_(make_scheduler(policy)) {
    require(scheduler_ != nullptr, "there is no policy \"" + policy + "\"");
    check(options);
    const bool by_goodput = schedules_by_goodput(policy);
    for (const Submission& submission : workload) {
      const auto found = applications.find(submission.application);
      require(found != applications.end(),
              submission.name + ": there is no profile of \"" + submission.application + "\"");
      require(by_goodput ||
                  (submission.num_replicas >= 1 && submission.num_replicas <= devices(options.cluster, 0)),
              submission.name + ": asks for " + std::to_string(submission.num_replicas) + " of " +
                  std::to_string(devices(options.cluster, 0)) + " devices");
      jobs_.emplace_back(submission, found->second, by_goodput);
      epochs_ += found->second.epochs();
    }
    for (SimulatedJob& job : jobs_) waiting_.push_back(&job);
    std::stable_sort(waiting_.begin(), waiting_.end(), [](const SimulatedJob* a, const SimulatedJob* b) {
      return a->submission().time < b->submission().time;
    });
    std::reverse(waiting_.begin(), waiting_.end());
  }

  bool ended() const { return waiting_.empty() && active_.empty(); }
  std::int64_t epochs() const { return epochs_; }
  std::int64_t epochs_done() const {
    std::int64_t done = 0;
    for (const SimulatedJob& job : jobs_) done += job.epoch();
    return done;
  }

  void step() {
    if (active_.empty()) return idle();
    const std::vector<bool> crowded = nodes_with_two_spread_jobs();
    for (SimulatedJob& job : jobs_) {
      const Placement& placement = job.placement();
      const bool meets =
          placement.size() > 1 && std::any_of(placement.begin(), placement.end(), [&](const Share& share) {
            return crowded[static_cast<std::size_t>(share.node)];
          });
      job.advance(options_.interval, meets ? options_.interference : 0);
    }
    now_ += options_.interval;
    std::erase_if(active_, [](const SimulatedJob* job) { return job->completed(); });
    admit_and_decide();
  }

  std::vector<JobOutcome> outcomes() const {
    std::vector<JobOutcome> outcomes;
    for (const SimulatedJob& job : jobs_)
      outcomes.push_back({job.submission().name, job.submission().application,
                          static_cast<double>(job.submission().time), job.completion(), job.restarts(), 0,
                          job.tenures()});
    return outcomes;
  }

 private:
  // Advances to the end of the interval in which the next job is submitted.
  void idle() {
    const double submitted = static_cast<double>(waiting_.back()->submission().time);
    const double seconds =
        options_.interval * std::max(1.0, std::ceil((submitted - now_) / options_.interval));
    for (SimulatedJob& job : jobs_) job.advance(seconds, 0);
    now_ += seconds;
    admit_and_decide();
  }

  void admit_and_decide() {
    for (; !waiting_.empty() && static_cast<double>(waiting_.back()->submission().time) <= now_;
         waiting_.pop_back())
      active_.push_back(waiting_.back());
    if (active_.empty()) return;
    const std::vector<Placement> placements =
        scheduler_->decide(now_, std::vector<const SimulatedJob*>(active_.begin(), active_.end()), options_);
    for (std::size_t i = 0; i < active_.size(); ++i)
      if (placements[i] != active_[i]->placement()) active_[i]->reallocate(placements[i], options_.restart);
  }

  std::vector<bool> nodes_with_two_spread_jobs() const {
    std::vector<int> spread(options_.cluster.size());
    for (const SimulatedJob* job : active_)
      if (job->placement().size() > 1)
        for (const Share& share : job->placement()) ++spread[static_cast<std::size_t>(share.node)];
    std::vector<bool> crowded;
    for (const int count : spread) crowded.push_back(count > 1);
    return crowded;
  }

  SimulationOptions options_;
  std::unique_ptr<Scheduler> scheduler_;
  std::deque<SimulatedJob> jobs_;       // in the order of the workload
  std::vector<SimulatedJob*> waiting_;  // the last one comes first
  std::vector<SimulatedJob*> active_;   // in the order of submission
  std::int64_t epochs_ = 0;
  double now_ = 0;
};

}  // namespace

double Outcome::mean_completion_time() const {
  double sum = 0;
  for (const JobOutcome& job : jobs) sum += job.completion_time();
  return jobs.empty() ? 0 : sum / static_cast<double>(jobs.size());
}

double Outcome::makespan() const {
  if (jobs.empty()) return 0;
  double first = jobs.front().submitted, last = 0;
  for (const JobOutcome& job : jobs) {
    first = std::min(first, job.submitted);
    last = std::max(last, job.completed);
  }
  return last - first;
}

double Outcome::worst_fairness() const {
  double worst = 0;
  for (const JobOutcome& job : jobs) worst = std::max(worst, job.fairness);
  return worst;
}

int Outcome::restarts() const {
  int sum = 0;
  for (const JobOutcome& job : jobs) sum += job.restarts;
  return sum;
}

Outcome simulate(const std::vector<Submission>& workload, const Applications& applications,
                 const std::string& policy, const SimulationOptions& options,
                 const std::function<void(std::int64_t done, std::int64_t all)>& progress) {
  Simulation simulation(workload, applications, policy, options);
  while (!simulation.ended()) {
    simulation.step();
    if (progress) progress(simulation.epochs_done(), simulation.epochs());
  }
  Outcome outcome{policy, simulation.outcomes()};
  const std::vector<double> fairness = finish_time_fairness(outcome.jobs, applications, options);
  for (std::size_t i = 0; i < fairness.size(); ++i) outcome.jobs[i].fairness = fairness[i];
  return outcome;
}

}  // namespace batchscope::policy
