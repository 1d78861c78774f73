// SPDX-License-Identifier: Apache-2.0
//
// The policies of this room in the simulator: each job's goodput is what its own fitted model says, never the
// truth of its profile. What it still has to do is known, as its epochs are.
#include <algorithm>
#include <map>

#include "batchscope/policy/decision.h"
#include "batchscope/policy/moves.h"
#include "scheduler.h"

namespace batchscope::policy {
namespace {

class GoodputScheduler : public Scheduler {
 public:
  explicit GoodputScheduler(Objective objective) : objective_(objective) {}

  std::vector<Placement> decide(double now, std::span<const SimulatedJob* const> jobs,
                                const SimulationOptions& options) override {
    std::vector<Job> asked;
    for (const SimulatedJob* job : jobs) {
      asked.push_back(describe(*job, now, options));
      if (options.as_pool) asked.back().weight = first_come_weight(asked.size() - 1, jobs.size());
    }
    const Decision decision = policy::decide(asked, options.cluster, objective_);
    std::map<std::string, double> waits;
    std::vector<Placement> placements;
    for (std::size_t i = 0; i < jobs.size(); ++i) {
      placements.push_back(decision.jobs[i].placement);
      if (placements[i].empty()) waits[asked[i].name] = waits_.try_emplace(asked[i].name, now).first->second;
      if (decision.jobs[i].changed) note_move(asked[i], placements[i], now);
    }
    waits_ = std::move(waits);
    return placements;
  }

 private:
  Job describe(const SimulatedJob& job, double now, const SimulationOptions& options) const {
    const Application& application = job.application();
    Job asked;
    asked.name = job.submission().name;
    if (job.goodput(1, 1) >= 0)
      asked.goodput = [&job](int, int nodes, int replicas) { return job.goodput(nodes, replicas); };
    asked.max_replicas = application.max_replicas(application.max_batch_size());
    asked.max_profiled = job.most_profiled();
    asked.placement = job.placement();
    asked.age = now - static_cast<double>(job.submission().time);
    asked.restarts = std::max(job.restarts(), 0);
    asked.pause = options.restart;
    if (const auto moves = moves_.find(asked.name); options.budgets_moves && moves != moves_.end()) {
      asked.left_alone = left_alone(moves->second, now, asked.pause);
      asked.reluctance = reluctance(moves->second, now);
    }
    if (!options.as_pool || tells_what_is_left(job.progress() / (job.progress() + job.remaining())))
      asked.remaining = job.remaining() * static_cast<double>(application.init_batch_size());
    if (const auto since = waits_.find(asked.name); since != waits_.end())
      asked.waited = static_cast<int>((now - since->second) / turn(options) + kRounding);
    return asked;
  }

  // A start costs a job nothing that it had.
  void note_move(const Job& job, const Placement& placement, double now) {
    std::vector<Move>& moves = moves_[job.name];
    moves.push_back({now, replicas(placement), placement.empty() || moves.empty() ? 0 : job.pause});
  }

  // s. Half of a turn at most is lost to the restarts that make it: shorter turns could be all loss.
  static double turn(const SimulationOptions& options) {
    return options.turn > 0 ? options.turn : std::max(options.interval, 2 * options.restart);
  }

  static constexpr double kRounding = 1e-9;
  Objective objective_;
  std::map<std::string, double> waits_;  // s, when a job was left without devices first
  std::map<std::string, std::vector<Move>> moves_;
};

template <Objective objective>
std::unique_ptr<Scheduler> make() {
  return std::make_unique<GoodputScheduler>(objective);
}

}  // namespace

std::unique_ptr<Scheduler> make_pollux() { return make<Objective::pollux>(); }
std::unique_ptr<Scheduler> make_adaptdl() { return make<Objective::adaptdl>(); }
std::unique_ptr<Scheduler> make_sia() { return make<Objective::sia>(); }
std::unique_ptr<Scheduler> make_fair() { return make<Objective::fair>(); }
std::unique_ptr<Scheduler> make_fast() { return make<Objective::fast>(); }

}  // namespace batchscope::policy
