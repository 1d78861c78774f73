// SPDX-License-Identifier: Apache-2.0
//
// The objective and its gradient in one pass over the rows. With a = log T_grad, n = log T_sync, d = gamma (n
// - a):
//   log T_opt = a + log(1 + e^d) / gamma       w = e^d / (1 + e^d): the share of synchronisation in it
//   d/da = 1 - w      d/dn = w      d/dgamma = (w d - log(1 + e^d)) / gamma^2
#include "fit_objective.h"

#include <algorithm>
#include <cmath>

#include "floor.h"

namespace batchscope::goodput {

namespace {

double square(double x) { return x * x; }

template <typename Value>
std::size_t index_of(const Value& value, std::vector<Value>& values) {
  const auto found = std::find(values.begin(), values.end(), value);
  if (found != values.end()) return static_cast<std::size_t>(found - values.begin());
  values.push_back(value);
  return values.size() - 1;
}

// T_grad or T_sync, and the slopes of half the sums of squares in its logarithm.
struct Time {
  double value, log;
  double accumulation_slope = 0, optimizer_slope = 0;
  explicit Time(double seconds) : value(seconds), log(std::log(seconds)) {}
};

// A regulariser c (beta / alpha)^2.
double penalty(double alpha, double beta, double* to_alpha, double* to_beta) {
  constexpr double kWeight = 1e-2;
  const double value = kWeight * square(beta / alpha);
  *to_alpha = -2 * value / alpha;
  *to_beta = 2 * kWeight * beta / square(alpha);
  return value;
}

}  // namespace

ParamVector to_vector(const PerfParams& perf) {
  return {perf.alpha_c, perf.beta_c, perf.alpha_n, perf.beta_n, perf.alpha_r, perf.beta_r, perf.gamma};
}

PerfParams to_params(const ParamVector& v) { return {v[0], v[1], v[2], v[3], v[4], v[5], v[6]}; }

FitObjective::FitObjective(std::span<const ProfileRow> rows) {
  rows_.reserve(rows.size());
  for (const ProfileRow& row : rows) {
    const std::size_t alpha = row.num_nodes > 1 ? 2 : row.num_replicas > 1 ? 4 : kNone;
    rows_.push_back({index_of(static_cast<double>(row.local_batch_size), local_batch_sizes_),
                     index_of(Link{alpha, std::max(row.num_replicas - 2.0, kFloor)}, links_),
                     std::log(row.accumulation_step_time), std::log(row.optimizer_step_time)});
  }
}

FitObjective::Value FitObjective::operator()(const ParamVector& at, double smoothing,
                                             ParamVector* gradient) const {
  std::vector<Time> computes, syncs;
  computes.reserve(local_batch_sizes_.size());
  syncs.reserve(links_.size());
  for (const double size : local_batch_sizes_) computes.emplace_back(at[0] + at[1] * size);
  for (const auto& [alpha, beyond_two] : links_) {
    syncs.emplace_back(alpha == kNone ? kFloor + kFloor * beyond_two
                                      : at[alpha] + at[alpha + 1] * beyond_two);
  }

  const double gamma = at[6];
  double accumulation_squares = 0, optimizer_squares = 0;
  ParamVector accumulation_slope{}, optimizer_slope{};  // of half the sums of squares
  for (const Row& row : rows_) {
    Time& compute = computes[row.local_batch_size];
    Time& sync = syncs[row.link];
    const double d = gamma * (sync.log - compute.log);
    const double e = std::exp(-std::abs(d));  // never overflows
    const double softplus = std::max(d, 0.0) + std::log1p(e);
    const double share = (d > 0 ? 1 : e) / (1 + e);

    const double accumulation_error = compute.log - row.log_accumulation;
    const double optimizer_error = compute.log + softplus / gamma - row.log_optimizer;
    accumulation_squares += square(accumulation_error);
    optimizer_squares += square(optimizer_error);
    compute.accumulation_slope += accumulation_error;
    compute.optimizer_slope += optimizer_error * (1 - share);
    sync.optimizer_slope += optimizer_error * share;
    optimizer_slope[6] += optimizer_error * (share * d - softplus) / square(gamma);
  }
  for (std::size_t i = 0; i < computes.size(); ++i) {
    const Time& compute = computes[i];
    accumulation_slope[0] += compute.accumulation_slope / compute.value;
    accumulation_slope[1] += compute.accumulation_slope / compute.value * local_batch_sizes_[i];
    optimizer_slope[0] += compute.optimizer_slope / compute.value;
    optimizer_slope[1] += compute.optimizer_slope / compute.value * local_batch_sizes_[i];
  }
  for (std::size_t i = 0; i < syncs.size(); ++i) {
    const auto& [alpha, beyond_two] = links_[i];
    if (alpha == kNone) continue;
    optimizer_slope[alpha] += syncs[i].optimizer_slope / syncs[i].value;
    optimizer_slope[alpha + 1] += syncs[i].optimizer_slope / syncs[i].value * beyond_two;
  }

  const auto count = static_cast<double>(rows_.size());
  ParamVector slope{};
  const double regulariser = 1e-3 * square(gamma - 1) + penalty(at[2], at[3], &slope[2], &slope[3]) +
                             penalty(at[4], at[5], &slope[4], &slope[5]);
  const double accumulation_rms = std::sqrt(accumulation_squares / count + square(smoothing));
  const double optimizer_rms = std::sqrt(optimizer_squares / count + square(smoothing));
  if (gradient != nullptr) {
    slope[6] = 2e-3 * (gamma - 1);
    const double accumulation_weight = accumulation_rms > 0 ? 1 / (count * accumulation_rms) : 0;
    const double optimizer_weight = optimizer_rms > 0 ? 1 / (count * optimizer_rms) : 0;
    for (std::size_t i = 0; i < at.size(); ++i) {
      (*gradient)[i] =
          slope[i] + accumulation_weight * accumulation_slope[i] + optimizer_weight * optimizer_slope[i];
    }
  }
  return {std::sqrt(accumulation_squares / count) + std::sqrt(optimizer_squares / count) + regulariser,
          accumulation_rms + optimizer_rms + regulariser};
}

}  // namespace batchscope::goodput
