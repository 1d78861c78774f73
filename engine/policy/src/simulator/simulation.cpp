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
      : options_(options), by_goodput_(schedules_by_goodput(policy)), scheduler_(make_scheduler(policy)) {
    require(scheduler_ != nullptr, "there is no policy \"" + policy + "\"");
    check(options);
    for (const Submission& submission : workload) {
      const auto found = applications.find(submission.application);
      require(found != applications.end(),
              submission.name + ": there is no profile of \"" + submission.application + "\"");
      require(by_goodput_ ||
                  (submission.num_replicas >= 1 && submission.num_replicas <= devices(options.cluster, 0)),
              submission.name + ": asks for " + std::to_string(submission.num_replicas) + " of " +
                  std::to_string(devices(options.cluster, 0)) + " devices");
      jobs_.emplace_back(submission, found->second, by_goodput_);
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
      job.advance(look(), meets ? options_.interference : 0);
    }
    now_ += look();
    const bool some_ended =
        std::erase_if(active_, [](const SimulatedJob* job) { return job->completed(); }) > 0;
    admit_and_decide(some_ended);
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
    const double seconds = look() * std::max(1.0, std::ceil((submitted - now_) / look()));
    for (SimulatedJob& job : jobs_) job.advance(seconds, 0);
    now_ += seconds;
    admit_and_decide(true);
  }

  // s until something may have happened that is seen to at once.
  double look() const { return options_.as_pool ? options_.interval / kLooks : options_.interval; }

  void admit_and_decide(bool devices_came_free) {
    bool news = devices_came_free;
    for (; !waiting_.empty() && static_cast<double>(waiting_.back()->submission().time) <= now_;
         waiting_.pop_back()) {
      active_.push_back(waiting_.back());
      news = true;
    }
    const bool round = !options_.as_pool || now_ + kRounding >= next_round_;
    if (active_.empty() || now_ + kRounding < options_.opens || (!round && !news)) return;
    if (round) next_round_ = now_ + options_.interval;
    if (round || !by_goodput_)
      decide(active_, options_);
    else
      give_away_free_devices();
  }

  void give_away_free_devices() {
    std::vector<SimulatedJob*> without;
    std::vector<Placement> taken;
    for (SimulatedJob* job : active_)
      if (job->placement().empty())
        without.push_back(job);
      else
        taken.push_back(job->placement());
    SimulationOptions options = options_;
    const std::vector<int> free = free_devices(options.cluster, taken);
    for (std::size_t node = 0; node < free.size(); ++node) options.cluster[node].devices = free[node];
    if (!without.empty() && devices(options.cluster, 0) > 0) decide(without, options);
  }

  void decide(const std::vector<SimulatedJob*>& jobs, const SimulationOptions& options) {
    const std::vector<Placement> placements =
        scheduler_->decide(now_, std::vector<const SimulatedJob*>(jobs.begin(), jobs.end()), options);
    for (std::size_t i = 0; i < jobs.size(); ++i) {
      if (placements[i] == jobs[i]->placement()) continue;
      const bool starts = jobs[i]->restarts() < 0 && options_.start >= 0;
      jobs[i]->reallocate(placements[i], starts ? options_.start : options_.restart);
    }
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

  static constexpr int kLooks = 20;          // at what has happened, an interval
  static constexpr double kRounding = 1e-6;  // s
  SimulationOptions options_;
  bool by_goodput_;
  std::unique_ptr<Scheduler> scheduler_;
  std::deque<SimulatedJob> jobs_;       // in the order of the workload
  std::vector<SimulatedJob*> waiting_;  // the last one comes first
  std::vector<SimulatedJob*> active_;   // in the order of submission
  std::int64_t epochs_ = 0;
  double now_ = 0, next_round_ = 0;
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
