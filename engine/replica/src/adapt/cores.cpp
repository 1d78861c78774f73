// SPDX-License-Identifier: Apache-2.0
#include "adapt/cores.h"

#include <utility>

#include "adapt/core_trials.h"
#include "batchscope/protocol/telemetry.h"
#include "batchscope/replica/process_group.h"
#include "process/process.h"
#include "process/session.h"

namespace batchscope::replica {
namespace {

constexpr std::int64_t kFirst = 20, kPeriod = 600, kLength = 3;  // steps

struct Cores {
  int all = 0, now = 0;
  std::function<void(int)> use;
  CoreTrials trials{0};
};

Cores& state() { return session().part<Cores>(); }

void use(int wanted) {
  Cores& cores = state();
  if (wanted == cores.now) return;
  cores.now = wanted;
  cores.use(wanted);
}

bool is_due(std::int64_t steps, std::int64_t times) {
  const std::int64_t since = steps >= kPeriod * times ? steps % (kPeriod * times) : steps - kFirst * times;
  return since >= 0 && since < kLength;
}

}  // namespace

void set_cores(int cores, std::function<void(int)> use) {
  state() = {cores, cores, std::move(use), CoreTrials(cores)};
}

int cores() { return state().now; }
int all_cores() { return state().all; }

int cores_of_step(std::int64_t steps, int all) {
  if (all > 2 && is_due(steps - kLength, all - 1)) return 1;
  return all > 1 && is_due(steps, 1) ? all / 2 : all;
}

bool keeps_fastest_cores() { return process().environment.measure_cores && state().all > 0; }

void choose_cores(std::int64_t steps, bool freely) {
  if (num_replicas() > 1 || !keeps_fastest_cores()) return;
  use(freely ? state().trials.next() : cores_of_step(steps, state().all));
}

void cores_took(int cores, const BatchShape& shape, double seconds) {
  CoreTrials& trials = state().trials;
  if (num_replicas() == 1 && cores > 0 && cores == trials.next())
    trials.took(shape, seconds, protocol::monotonic_seconds());
}

void use_own_cores() { use(state().trials.own()); }

}  // namespace batchscope::replica
