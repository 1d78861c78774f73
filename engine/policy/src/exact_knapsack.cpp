// SPDX-License-Identifier: Apache-2.0
//
// The dynamic programme of knapsack.h. A state is a number with a digit for each kind of device, so that a
// job's option shifts whole stretches of states by the same distance, and the inner loop runs over plain
// arrays. Every row is kept, and the choices are read off them backwards.
#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "batchscope/policy/knapsack.h"
#include "knapsack_check.h"

namespace batchscope::policy {
namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();

struct States {
  std::vector<std::size_t> stride;
  std::size_t count = 1;

  explicit States(std::span<const int> capacity) {
    for (const int devices : capacity) {
      stride.push_back(count);
      count *= static_cast<std::size_t>(devices) + 1;
    }
  }
};

// Calls range(from, to) for each stretch of states that have the option's devices to give.
template <typename Range>
void for_stretches(const States& states, std::span<const int> capacity, const Option& option, Range range) {
  const auto kind = static_cast<std::size_t>(option.kind);
  if (option.devices > capacity[kind]) return;
  const std::size_t period = states.stride[kind] * (static_cast<std::size_t>(capacity[kind]) + 1);
  const std::size_t shift = states.stride[kind] * static_cast<std::size_t>(option.devices);
  for (std::size_t begin = 0; begin < states.count; begin += period) range(begin + shift, begin + period);
}

}  // namespace

void check_options(std::span<const Options> jobs, std::span<const int> capacity) {
  const auto require = [](bool holds, const char* what) {
    if (!holds) throw std::invalid_argument(what);
  };
  require(!capacity.empty(), "knapsack: there is no kind of device");
  for (const int devices : capacity)
    require(devices >= 0, "knapsack: the number of devices of a kind is negative");
  for (const Options& options : jobs) {
    require(!options.empty(), "knapsack: a job has no options");
    for (const Option& option : options)
      require(option.devices >= 0 && option.kind >= 0 &&
                  static_cast<std::size_t>(option.kind) < capacity.size() && std::isfinite(option.cost),
              "knapsack: an option has an unknown kind, a negative number of devices, or no finite cost");
  }
}

double exact_steps(std::span<const Options> jobs, std::span<const int> capacity) {
  double states = 1, options = 0;
  for (const int devices : capacity) states *= devices + 1.0;
  for (const Options& job : jobs) options += static_cast<double>(job.size());
  return states * options;
}

Packing pack_exactly(std::span<const Options> jobs, std::span<const int> capacity) {
  check_options(jobs, capacity);
  const States states(capacity);
  // Row j + 1: the least cost of the jobs up to j with at most these devices.
  std::vector<double> rows(states.count * (jobs.size() + 1), kNever);
  std::fill_n(rows.begin(), states.count, 0.0);
  for (std::size_t job = 0; job < jobs.size(); ++job) {
    const double* const before = rows.data() + job * states.count;
    double* const after = rows.data() + (job + 1) * states.count;
    for (const Option& option : jobs[job]) {
      const std::size_t shift =
          states.stride[static_cast<std::size_t>(option.kind)] * static_cast<std::size_t>(option.devices);
      const double cost = option.cost;
      for_stretches(states, capacity, option, [&](std::size_t from, std::size_t to) {
        for (std::size_t state = from; state < to; ++state)
          after[state] = std::min(after[state], before[state - shift] + cost);
      });
    }
  }

  Packing packing;
  const double* const last = rows.data() + jobs.size() * states.count;
  if (capacity.size() == 1) packing.curve.assign(last, last + states.count);
  std::size_t state = states.count - 1;
  packing.feasible = last[state] < kNever;
  if (!packing.feasible) return packing;
  packing.cost = last[state];
  packing.chosen.resize(jobs.size());
  std::vector<int> left(capacity.begin(), capacity.end());
  for (std::size_t job = jobs.size(); job-- > 0;) {
    const double* const before = rows.data() + job * states.count;
    const double value = before[states.count + state];
    for (std::size_t i = 0; i < jobs[job].size(); ++i) {
      const Option& option = jobs[job][i];
      const auto kind = static_cast<std::size_t>(option.kind);
      if (option.devices > left[kind]) continue;
      const std::size_t from = state - states.stride[kind] * static_cast<std::size_t>(option.devices);
      if (before[from] + option.cost != value) continue;
      packing.chosen[job] = i;
      left[kind] -= option.devices;
      state = from;
      break;
    }
  }
  return packing;
}

Packing pack(std::span<const Options> jobs, std::span<const int> capacity) {
  return exact_steps(jobs, capacity) <= kMostExactSteps ? pack_exactly(jobs, capacity)
                                                        : pack_greedily(jobs, capacity);
}

}  // namespace batchscope::policy
