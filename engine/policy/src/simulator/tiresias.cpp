// SPDX-License-Identifier: Apache-2.0
//
// Tiresias (Gu et al., NSDI 2019) as the published simulator has it: discretised least attained service. Jobs
// begin in a first queue and fall into the second once they have had 16 hours of one device; in this order
// whoever fits runs, with the replicas that it asked for, and the others wait.
#include <algorithm>
#include <map>

#include "scheduler.h"

namespace batchscope::policy {
namespace {

constexpr double kThreshold = 16 * 3600;  // device seconds

class Tiresias : public Scheduler {
 public:
  std::vector<Placement> decide(double now, std::span<const SimulatedJob* const> jobs,
                                const SimulationOptions& options) override {
    std::vector<Placement> placements;
    std::vector<std::size_t> first, second;
    for (std::size_t i = 0; i < jobs.size(); ++i) {
      State& state = states_[jobs[i]->submission().name];
      if (state.running) state.executed += now - last_;
      const int wanted = jobs[i]->submission().num_replicas;
      if (!state.demoted && state.executed * wanted >= kThreshold) {
        state.demoted = true;
        state.order = demotions_++;
      }
      (state.demoted ? second : first).push_back(i);
      placements.push_back(jobs[i]->placement());
    }
    last_ = now;
    std::sort(second.begin(), second.end(), [&](std::size_t a, std::size_t b) {
      return states_[jobs[a]->submission().name].order < states_[jobs[b]->submission().name].order;
    });
    first.insert(first.end(), second.begin(), second.end());

    int left = devices(options.cluster, 0);
    for (const std::size_t i : first) {
      State& state = states_[jobs[i]->submission().name];
      const int wanted = jobs[i]->submission().num_replicas;
      state.running = wanted <= left;
      if (state.running)
        left -= wanted;
      else
        placements[i].clear();
    }
    std::vector<int> free = free_devices(options.cluster, placements);
    for (const std::size_t i : first)
      if (placements[i].empty() && states_[jobs[i]->submission().name].running)
        placements[i] = take_from_freest(free, jobs[i]->submission().num_replicas);
    return placements;
  }

 private:
  struct State {
    bool running = false, demoted = false;
    double executed = 0;  // s
    int order = 0;        // of demotion
  };
  std::map<std::string, State> states_;
  double last_ = 0;
  int demotions_ = 0;
};

}  // namespace

std::unique_ptr<Scheduler> make_tiresias() { return std::make_unique<Tiresias>(); }

}  // namespace batchscope::policy
