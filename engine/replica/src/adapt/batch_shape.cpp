// SPDX-License-Identifier: Apache-2.0
#include "adapt/batch_shape.h"

#include <algorithm>
#include <cmath>

namespace batchscope::replica {
namespace {

// Returns the parameters where this share of a micro-batch's time is the same for every size. That of the
// present size stays as it is.
goodput::PerfParams with_constant_share(goodput::PerfParams perf, double share,
                                        const goodput::Devices& devices, int replicas,
                                        std::int64_t local_batch_size) {
  const int cores = goodput::computing_cores(perf, local_batch_size, devices, replicas);
  const double linear =
      perf.beta_c * static_cast<double>(local_batch_size) * std::pow(cores, -perf.core_exponent);
  if (!(linear > 0)) return perf;
  const double whole = goodput::accumulation_time(perf, local_batch_size, cores);
  const double moved = std::max(linear - (1 - share) * whole, -perf.alpha_c);
  perf.alpha_c += moved;
  perf.beta_c *= 1 - moved / linear;
  return perf;
}

}  // namespace

goodput::Bounds within_reach(goodput::Bounds limits, const Seen& seen, std::int64_t initial_batch_size,
                             int replicas) {
  limits = goodput::within_reach(limits, seen.local_batch_size, initial_batch_size, replicas);
  if (seen.batch_size == 0 || limits.max_batch_size == 0) return limits;
  const auto narrow = [&limits](std::int64_t reach) {
    limits.max_batch_size = std::min(limits.max_batch_size, reach);
  };
  const auto least = std::max(initial_batch_size, limits.min_local * replicas);
  narrow(std::max(4 * seen.batch_size, least));
  if (seen.sure > 0) narrow(std::max({seen.sure, 2 * seen.batch_size, least}));
  if (seen.left > seen.batch_size) {
    const double between = std::sqrt(static_cast<double>(seen.batch_size) * static_cast<double>(seen.left));
    narrow(std::max(static_cast<std::int64_t>(between), least));
  }
  return limits;
}

namespace {

std::optional<Suggestion> best_step(const StepModel& model, const goodput::Bounds& limits, Seen seen) {
  const auto function = [&](const goodput::GradParams& gradient) {
    return goodput::GoodputFunction(model.perf, gradient, model.initial_batch_size, model.devices);
  };
  const auto best_with = [&](const goodput::GradParams& gradient, const goodput::Bounds& bounds) {
    return function(gradient).optimize(model.nodes, model.replicas, bounds);
  };
  const auto samples = [&](const goodput::Choice& choice) {
    return BatchShape{choice.local_batch_size, choice.accumulation_steps}.batch_size(model.replicas);
  };
  const goodput::Bounds reach = within_reach(limits, seen, model.initial_batch_size, model.replicas);
  goodput::Choice best = best_with(model.gradient, reach);
  const double promise = best.goodput;
  if (model.gradient.sqr_error > 0) {
    const auto [smallest, largest] = model.gradient.interval();
    seen.sure = samples(best_with(smallest, limits));
    best = best_with(model.gradient, within_reach(limits, seen, model.initial_batch_size, model.replicas));
    if (goodput::Choice most = best_with(largest, reach);
        samples(best) < seen.batch_size && samples(best) < samples(most)) {
      if (samples(most) >= seen.batch_size) return std::nullopt;
      most.goodput =
          function(model.gradient)
              .evaluate({model.nodes, model.replicas, most.local_batch_size, most.accumulation_steps});
      best = most;
    }
  }
  if (!(best.goodput > 0)) return std::nullopt;
  return Suggestion{best, std::max(promise, best.goodput)};
}

// The constant shares of a micro-batch's time that are tried where one size cannot tell: AdaptDL's, which
// promises much of larger steps, and none, which promises much of smaller ones.
constexpr double kShares[] = {0.5, 0};

}  // namespace

std::optional<Suggestion> suggestion(const StepModel& model, const goodput::Bounds& limits,
                                     const Seen& seen) {
  std::optional<Suggestion> best = best_step(model, limits, seen);
  if (seen.only == 0) return best;
  Seen near = seen;
  near.local_batch_size = seen.only;
  for (const double share : kShares) {
    StepModel other = model;
    other.perf = with_constant_share(model.perf, share, model.devices, model.replicas, seen.only);
    const auto hoped = best_step(other, limits, near);
    if (hoped && (!best || hoped->promise > best->promise)) best = hoped;
  }
  return best;
}

BatchShape initial_shape(std::int64_t batch_size, int replicas, const goodput::Bounds& limits) {
  const auto at = goodput::initial_configuration(batch_size, replicas, limits);
  return {at.local_batch_size, at.accumulation_steps};
}

BatchShape preferred_shape(const BatchShape& current, const BatchShape& initial,
                           const std::optional<Suggestion>& suggestion, std::optional<double> goodput) {
  if (!suggestion) return current.local_batch_size > 0 ? current : initial;
  const auto& [choice, promise] = *suggestion;
  const BatchShape suggested{choice.local_batch_size, choice.accumulation_steps};
  if (current.local_batch_size == 0) return suggested;
  const bool is_better = goodput && choice.goodput > *goodput && promise > kSpeedupThreshold * *goodput;
  return is_better ? suggested : current;
}

}  // namespace batchscope::replica
