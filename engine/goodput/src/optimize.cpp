// SPDX-License-Identifier: Apache-2.0
//
// The best batch size for a number of replicas. AdaptDL tries 50 batch sizes spaced geometrically; this finds
// the optimum itself, in fewer evaluations, from two facts about the model:
//   For a fixed number s of accumulation steps goodput is unimodal in the local batch size m: it is a linear
//   function of m over a product of two positive, increasing, convex ones (step time, loss of efficiency).
//   For a fixed total batch size fewer accumulation steps are better: each adds alpha_c, and shorter
//   micro-batches hide less of the synchronisation.
// Hence, going up with s while m stays at its maximum (itself a unimodal sequence, best at s*), the optimum
// has s* or s* + 1 accumulation steps. Only that m (s + 1) is a whole number of samples can make another s a
// little better, by at most a part in max(m, s + 1) of the batch; every s is tried where a replica's share of
// the batch is small.
#include <algorithm>
#include <stdexcept>

#include "batchscope/goodput/model.h"
#include "ceil_div.h"

namespace batchscope::goodput {

namespace {

// Where a function that rises, then falls, is largest in [low, high]; the first of equals.
template <typename Function>
std::int64_t peak(std::int64_t low, std::int64_t high, Function value) {
  if (low < high && value(high - 1) < value(high)) return high;  // often the bound binds
  while (low < high) {
    const std::int64_t middle = low + (high - low) / 2;
    if (value(middle) < value(middle + 1)) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

// The same, in fewer evaluations where `guess` is near: what is left to search grows from there by doubling.
template <typename Function>
std::int64_t peak_near(std::int64_t guess, std::int64_t low, std::int64_t high, Function value) {
  const auto rises = [&](std::int64_t at) { return value(at) < value(at + 1); };
  const std::int64_t begin = std::clamp(guess, low, high);
  if (begin < high && rises(begin)) {
    low = begin + 1;
    for (std::int64_t stride = 1; low < high; stride *= 2) {
      const std::int64_t probe = std::min(low + stride, high) - 1;
      if (!rises(probe)) return peak(low, probe, value);
      low = probe + 1;
    }
    return high;
  }
  high = begin;
  for (std::int64_t stride = 1; low < high; stride *= 2) {
    const std::int64_t probe = std::max(high - stride, low);
    if (rises(probe)) return peak(probe + 1, high, value);
    high = probe;
  }
  return low;
}

// The feasible configurations of one optimize call: local batch sizes min_local..max_local, total batch sizes
// floor..ceiling. `guess` is a total batch size near the best one, 0 where there is no idea of it.
class Search {
 public:
  Search(const GoodputFunction& goodput, int num_nodes, int num_replicas, std::int64_t min_local,
         std::int64_t max_local, std::int64_t floor, std::int64_t ceiling, std::int64_t guess)
      : goodput_(goodput),
        num_nodes_(num_nodes),
        num_replicas_(num_replicas),
        min_local_(min_local),
        max_local_(max_local),
        floor_(floor),
        ceiling_(ceiling),
        guess_(guess) {}

  Choice with_steps(std::int64_t steps) const { return with_steps(steps, guess_); }

  Choice with_steps(std::int64_t steps, std::int64_t guess) const {
    const std::int64_t per_local = num_replicas_ * (steps + 1);
    const std::int64_t low = std::max(min_local_, ceil_div(floor_, per_local));
    const std::int64_t high = std::min(max_local_, ceiling_ / per_local);
    if (low > high) return {};
    const auto value = [&](std::int64_t candidate) { return evaluate(candidate, steps); };
    const std::int64_t local =
        guess > 0 ? peak_near(guess / per_local, low, high, value) : peak(low, high, value);
    return {evaluate(local, steps), local, static_cast<int>(steps)};
  }

  Choice with_accumulation(std::int64_t fewest) const {
    const std::int64_t share = ceiling_ / num_replicas_;
    if (share <= kSmallShare) {
      Choice best;
      for (std::int64_t steps = fewest; min_local_ * (steps + 1) <= share; ++steps) {
        best = better(best, with_steps(steps));
      }
      return best;
    }
    // The ceiling leaves so many steps with the largest micro-batch; one more with a smaller one.
    const std::int64_t most = std::max(fewest, ceiling_ / (num_replicas_ * max_local_) - 1);
    const std::int64_t best =
        peak(fewest, most, [&](std::int64_t steps) { return evaluate(max_local_, steps); });
    const Choice choice = with_steps(best);
    return better(choice, with_steps(best + 1, choice.local_batch_size * num_replicas_ * (best + 1)));
  }

  static Choice better(const Choice& first, const Choice& second) {
    return second.goodput > first.goodput ? second : first;
  }

 private:
  static constexpr std::int64_t kSmallShare = 32;

  double evaluate(std::int64_t local, std::int64_t steps) const {
    return goodput_.evaluate({num_nodes_, num_replicas_, local, static_cast<int>(steps)});
  }

  const GoodputFunction& goodput_;
  int num_nodes_, num_replicas_;
  std::int64_t min_local_, max_local_, floor_, ceiling_, guess_;
};

Choice best_of(const GoodputFunction& goodput, std::int64_t init, int num_nodes, int num_replicas,
               const Bounds& bounds, std::int64_t guess) {
  if (num_nodes < 1 || num_replicas < num_nodes) return {};
  const std::int64_t ceiling = bounds.max_batch_size > 0 ? bounds.max_batch_size : init;
  const std::int64_t min_local = std::max<std::int64_t>(bounds.min_local, 1);
  const std::int64_t most_local = ceiling / num_replicas;
  const std::int64_t max_local = bounds.max_local > 0 ? std::min(bounds.max_local, most_local) : most_local;
  if (min_local > max_local) return {};

  const auto within = [&](std::int64_t floor, std::int64_t limit) {
    return Search(goodput, num_nodes, num_replicas, min_local, max_local, floor, limit, guess);
  };
  const std::int64_t fewest = ceil_div(init, num_replicas * max_local) - 1;
  Choice choice;
  if (num_replicas > 1 || bounds.single_gradient) {
    choice = bounds.accumulation ? within(init, ceiling).with_accumulation(fewest)
                                 : within(init, ceiling).with_steps(0);
  } else if (bounds.accumulation) {
    choice = Search::better(within(init, std::min(init, ceiling)).with_steps(0),
                            within(init, ceiling).with_accumulation(std::max<std::int64_t>(fewest, 1)));
  } else {
    choice = within(init, std::min(std::max(init, min_local), ceiling)).with_steps(0);
  }
  if (choice.local_batch_size > 0) return choice;
  // The bounds exclude the initial batch size and what is above it.
  const Search below = within(1, std::min(init - 1, ceiling));
  return bounds.accumulation ? below.with_accumulation(0) : below.with_steps(0);
}

}  // namespace

Choice GoodputFunction::optimize(int num_nodes, int num_replicas, const Bounds& bounds) const {
  return optimize_near(0, num_nodes, num_replicas, bounds);
}

// Goodput is unimodal on each number of cores, not on the fastest of them.
Choice GoodputFunction::optimize_near(std::int64_t guess, int num_nodes, int num_replicas,
                                      const Bounds& bounds) const {
  if (!devices_.fastest || num_replicas != 1)
    return best_of(*this, init_batch_size_, num_nodes, num_replicas, bounds, guess);
  Choice best;
  for (int cores = devices_.cores(1); cores > 0; cores /= 2) {
    const GoodputFunction with_these(perf_, grad_, init_batch_size_, devices_.with_cores(cores));
    best = Search::better(best, best_of(with_these, init_batch_size_, num_nodes, 1, bounds, guess));
  }
  return best;
}

std::vector<Choice> GoodputFunction::optimize(std::span<const int> num_nodes,
                                              std::span<const int> num_replicas, const Bounds& bounds) const {
  if (num_nodes.size() != num_replicas.size()) {
    throw std::invalid_argument(
        "GoodputFunction::optimize: as many numbers of nodes as of replicas are needed");
  }
  std::vector<Choice> choices;
  choices.reserve(num_nodes.size());
  std::int64_t batch_size = 0;  // about the same for the next number of replicas
  for (std::size_t i = 0; i < num_nodes.size(); ++i) {
    const Choice choice = optimize_near(batch_size, num_nodes[i], num_replicas[i], bounds);
    batch_size = choice.local_batch_size * (choice.accumulation_steps + std::int64_t{1}) * num_replicas[i];
    choices.push_back(choice);
  }
  return choices;
}

}  // namespace batchscope::goodput
