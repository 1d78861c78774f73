// SPDX-License-Identifier: Apache-2.0
#include "batchscope/run/prediction.h"

#include <algorithm>
#include <cmath>

namespace batchscope::run {
namespace {

constexpr double kMostSamples = 1e15;  // of a step; what is beyond is not training

constexpr double kMachine = 0.1, kDoubling = 0.15;  // see prediction.h

// Returns the configuration of a fixed batch size, as the loader shares it; in parts where memory is short.
goodput::Configuration fixed_configuration(const protocol::Model& model, int replicas, int nodes) {
  const goodput::Bounds bounds = batch_bounds(model);
  const bool fixed = model.micro_batches != 0;  // on each replica
  goodput::Configuration at =
      goodput::initial_configuration(model.init_batch_size, fixed ? 1 : replicas, bounds);
  at.num_nodes = nodes;
  at.num_replicas = replicas;
  if (fixed) at.accumulation_steps = model.micro_batches * (at.accumulation_steps + 1) - 1;
  return at;
}

// Doublings from `from` to `to`; 0 where one is unknown.
double doublings(double from, double to) { return from > 0 && to > 0 ? std::log2(to / from) : 0; }

// Returns how far, in standard deviations of its logarithm, the efficiency may be from what is predicted.
double efficiency_deviation(const protocol::Model& model, std::int64_t batch_size) {
  const auto [least, most] = grad_params(model).interval();
  const auto efficiency = [&](const goodput::GradParams& statistics) {
    return goodput::GoodputFunction({}, statistics, model.init_batch_size).efficiency(batch_size);
  };
  return std::log(efficiency(most) / efficiency(least)) / (2 * goodput::kNineOfTen);
}

double prediction_error(const protocol::Model& model, const goodput::Configuration& at,
                        std::int64_t batch_size) {
  if (!(model.residual >= 0)) return 0;
  const auto local = static_cast<double>(at.local_batch_size);
  const double replicas = std::max(0.0, doublings(model.max_profiled_replicas, at.num_replicas));
  const double size =
      std::max({0.0, doublings(static_cast<double>(model.max_profiled_local_batch_size), local),
                doublings(local, static_cast<double>(model.min_profiled_local_batch_size))});
  const double deviation =
      std::hypot(std::hypot(model.residual, kMachine), kDoubling * std::hypot(replicas, size),
                 efficiency_deviation(model, batch_size));
  return std::expm1(goodput::kNineOfTen * deviation);
}

}  // namespace

bool has_fixed_batch_size(const protocol::Model& model) { return model.max_batch_size <= 0; }

Prediction predict(const protocol::Model& model, const goodput::Configuration& at) {
  const double size = static_cast<double>(at.num_replicas) * static_cast<double>(at.local_batch_size) *
                      (at.accumulation_steps + 1.0);
  if (!(size >= 1 && size <= kMostSamples)) return {at};
  const goodput::GoodputFunction function = goodput_function(model);
  const auto batch_size = static_cast<std::int64_t>(size);
  return {at,
          batch_size,
          function.throughput(at),
          function.efficiency(batch_size),
          function.evaluate(at),
          prediction_error(model, at, batch_size)};
}

std::optional<Prediction> predict(const protocol::Model& model, int replicas, int nodes) {
  if (replicas < nodes || nodes < 1 || model.init_batch_size < 1) return {};
  goodput::Configuration at = fixed_configuration(model, replicas, nodes);
  if (!has_fixed_batch_size(model)) {
    const goodput::Bounds reach = goodput::within_reach(
        batch_bounds(model), model.max_profiled_local_batch_size, model.init_batch_size, replicas);
    const goodput::Choice best = goodput_function(model).optimize(nodes, replicas, reach);
    at.local_batch_size = best.local_batch_size;
    at.accumulation_steps = best.accumulation_steps;
  }
  const Prediction prediction = predict(model, at);
  return prediction.goodput > 0 ? std::optional(prediction) : std::nullopt;
}

std::optional<std::pair<std::int64_t, std::int64_t>> best_batch_sizes(const protocol::Model& model,
                                                                      int replicas, int nodes) {
  if (has_fixed_batch_size(model) || !(model.grad_sqr_error > 0)) return {};
  const auto [least, most] = grad_params(model).interval();
  const auto best_with = [&](double grad_sqr) {
    protocol::Model other = model;
    other.grad_sqr = grad_sqr;
    return predict(other, replicas, nodes);
  };
  const auto low = best_with(least.sqr), high = best_with(most.sqr);
  if (!low || !high) return {};
  return std::pair(low->batch_size, high->batch_size);
}

}  // namespace batchscope::run
