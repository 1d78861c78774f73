// SPDX-License-Identifier: Apache-2.0
#include "adapt/batch_shape.h"

#include <algorithm>
#include <cmath>

namespace batchscope::replica {
namespace {

// Returns the parameters with half of a micro-batch's time of this size for whatever size, as AdaptDL assumes
// where one size was measured. On cores the fit assumes a fifth, which is nearer, but promises so little of
// other sizes that none of them would ever be measured.
goodput::PerfParams hopeful(goodput::PerfParams perf, const goodput::Devices& devices, int replicas,
                            std::int64_t local_batch_size) {
  const int cores = goodput::computing_cores(perf, local_batch_size, devices, replicas);
  const double linear =
      perf.beta_c * static_cast<double>(local_batch_size) * std::pow(cores, -perf.core_exponent);
  const double beyond_half = linear - goodput::accumulation_time(perf, local_batch_size, cores) / 2;
  if (!(beyond_half > 0)) return perf;
  perf.alpha_c += beyond_half;
  perf.beta_c *= 1 - beyond_half / linear;
  return perf;
}

}  // namespace

goodput::Bounds within_reach(goodput::Bounds limits, const Seen& seen, std::int64_t initial_batch_size,
                             int replicas) {
  const auto narrow = [](std::int64_t& limit, std::int64_t reach) {
    limit = limit > 0 ? std::min(limit, reach) : reach;
  };
  if (seen.local_batch_size > 0)
    narrow(limits.max_local, std::max({2 * seen.local_batch_size, limits.min_local,
                                       (initial_batch_size + replicas - 1) / replicas}));
  if (seen.batch_size == 0 || limits.max_batch_size == 0) return limits;
  const auto least = std::max(initial_batch_size, limits.min_local * replicas);
  narrow(limits.max_batch_size, std::max(4 * seen.batch_size, least));
  if (seen.sure > 0) narrow(limits.max_batch_size, std::max({seen.sure, 2 * seen.batch_size, least}));
  if (seen.left > seen.batch_size) {
    const double between = std::sqrt(static_cast<double>(seen.batch_size) * static_cast<double>(seen.left));
    narrow(limits.max_batch_size, std::max(static_cast<std::int64_t>(between), least));
  }
  return limits;
}

std::optional<Suggestion> suggestion(StepModel model, const goodput::Bounds& limits, Seen seen) {
  if (seen.no_other) model.perf = hopeful(model.perf, model.devices, model.replicas, seen.local_batch_size);
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
  if (!(best.goodput > 0) || best.local_batch_size == 0) return std::nullopt;
  return Suggestion{best, std::max(promise, best.goodput)};
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
