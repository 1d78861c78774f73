// SPDX-License-Identifier: Apache-2.0
//
// The objective and its gradient in one pass over the rows. With a = log T_grad, n = log T_sync, d = gamma (n
// - a):
//   log T_opt = a + log(1 + e^d) / gamma       w = e^d / (1 + e^d): the share of synchronisation in it
//   d/da = 1 - w      d/dn = w      d/dgamma = (w d - log(1 + e^d)) / gamma^2
#include "fit_objective.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "floor.h"

namespace batchscope::goodput {

namespace {

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
  return {perf.alpha_c, perf.beta_c, perf.alpha_n,       perf.beta_n,        perf.alpha_r,
          perf.beta_r,  perf.gamma,  perf.core_exponent, perf.core_overhead, perf.contention};
}

PerfParams to_params(const ParamVector& v) {
  return {v[kAlphaC], v[kBetaC], v[kAlphaN],       v[kBetaN],        v[kAlphaR],
          v[kBetaR],  v[kGamma], v[kCoreExponent], v[kCoreOverhead], v[kContention]};
}

FitObjective::FitObjective(std::span<const ProfileRow> rows, double contention) : contention_(contention) {
  rows_.reserve(rows.size());
  for (const ProfileRow& row : rows) {
    const std::size_t alpha = row.num_nodes > 1 ? kAlphaN : row.num_replicas > 1 ? kAlphaR : kNone;
    const MicroBatch micro_batch{static_cast<double>(row.local_batch_size), std::log(std::max(row.cores, 1)),
                                 std::max(row.neighbours, 1) - 1.0};
    rows_.push_back({index_of(micro_batch, micro_batches_),
                     index_of(Link{alpha, std::max(row.num_replicas - 2.0, kFloor)}, links_),
                     std::log(row.accumulation_step_time), std::log(row.optimizer_step_time), row.weight});
    weight_ += row.weight;
    mean_time_ += row.accumulation_step_time / static_cast<double>(rows.size());
    several_cores_ |= micro_batch.log_cores != micro_batches_[0].log_cores;
    several_neighbours_ |= micro_batch.further != micro_batches_[0].further;
  }
}

FitObjective::Value FitObjective::operator()(const ParamVector& at, double smoothing,
                                             ParamVector* gradient) const {
  std::vector<Time> computes, syncs;
  std::vector<double> shares;  // of samples on one core that fall to each
  computes.reserve(micro_batches_.size());
  shares.reserve(micro_batches_.size());
  syncs.reserve(links_.size());
  for (const auto& [size, log_cores, further] : micro_batches_) {
    shares.push_back(log_cores > 0 ? size * std::exp(-at[kCoreExponent] * log_cores) : size);
    computes.emplace_back(
        (at[kAlphaC] + at[kCoreOverhead] * log_cores / std::numbers::ln2 + at[kBetaC] * shares.back()) *
        (1 + at[kContention] * further));
  }
  for (const auto& [alpha, beyond_two] : links_) {
    syncs.emplace_back(alpha == kNone ? kFloor + kFloor * beyond_two
                                      : at[alpha] + at[alpha + 1] * beyond_two);
  }

  const double gamma = at[kGamma];
  double accumulation_squares = 0, optimizer_squares = 0;
  ParamVector accumulation_slope{}, optimizer_slope{};  // of half the sums of squares
  for (const Row& row : rows_) {
    Time& compute = computes[row.micro_batch];
    Time& sync = syncs[row.link];
    const double d = gamma * (sync.log - compute.log);
    const double e = std::exp(-std::abs(d));  // never overflows
    const double softplus = std::max(d, 0.0) + std::log1p(e);
    const double share = (d > 0 ? 1 : e) / (1 + e);

    const double accumulation_error = compute.log - row.log_accumulation;
    const double optimizer_error = compute.log + softplus / gamma - row.log_optimizer;
    accumulation_squares += row.weight * square(accumulation_error);
    optimizer_squares += row.weight * square(optimizer_error);
    compute.accumulation_slope += row.weight * accumulation_error;
    compute.optimizer_slope += row.weight * optimizer_error * (1 - share);
    sync.optimizer_slope += row.weight * optimizer_error * share;
    optimizer_slope[kGamma] += row.weight * optimizer_error * (share * d - softplus) / square(gamma);
  }
  for (std::size_t i = 0; i < computes.size(); ++i) {
    const Time& compute = computes[i];
    const double contended = 1 + at[kContention] * micro_batches_[i].further;
    const auto add = [&](ParamVector& slope, double to_log) {
      const double to_value = to_log / compute.value;
      slope[kAlphaC] += to_value * contended;
      slope[kBetaC] += to_value * contended * shares[i];
      slope[kCoreExponent] -= to_value * contended * at[kBetaC] * shares[i] * micro_batches_[i].log_cores;
      slope[kCoreOverhead] += to_value * contended * micro_batches_[i].log_cores / std::numbers::ln2;
      slope[kContention] += to_log / contended * micro_batches_[i].further;
    };
    add(accumulation_slope, compute.accumulation_slope);
    add(optimizer_slope, compute.optimizer_slope);
  }
  for (std::size_t i = 0; i < syncs.size(); ++i) {
    const auto& [alpha, beyond_two] = links_[i];
    if (alpha == kNone) continue;
    optimizer_slope[alpha] += syncs[i].optimizer_slope / syncs[i].value;
    optimizer_slope[alpha + 1] += syncs[i].optimizer_slope / syncs[i].value * beyond_two;
  }

  ParamVector slope{};
  double regulariser = 1e-3 * square(gamma - 1) +
                       penalty(at[kAlphaN], at[kBetaN], &slope[kAlphaN], &slope[kBetaN]) +
                       penalty(at[kAlphaR], at[kBetaR], &slope[kAlphaR], &slope[kBetaR]);
  slope[kGamma] = 2e-3 * (gamma - 1);
  if (several_cores_) {
    regulariser += 1e-3 * square(1 - at[kCoreExponent]);
    slope[kCoreExponent] = -2e-3 * (1 - at[kCoreExponent]);
    regulariser += 1e-3 * square(at[kCoreOverhead] / mean_time_);
    slope[kCoreOverhead] = 2e-3 * at[kCoreOverhead] / square(mean_time_);
  }
  if (several_neighbours_) {
    regulariser += 1e-2 * square(at[kContention] - contention_);
    slope[kContention] = 2e-2 * (at[kContention] - contention_);
  }
  const double accumulation_rms = std::sqrt(accumulation_squares / weight_ + square(smoothing));
  const double optimizer_rms = std::sqrt(optimizer_squares / weight_ + square(smoothing));
  if (gradient != nullptr) {
    const double accumulation_weight = accumulation_rms > 0 ? 1 / (weight_ * accumulation_rms) : 0;
    const double optimizer_weight = optimizer_rms > 0 ? 1 / (weight_ * optimizer_rms) : 0;
    for (std::size_t i = 0; i < at.size(); ++i) {
      (*gradient)[i] =
          slope[i] + accumulation_weight * accumulation_slope[i] + optimizer_weight * optimizer_slope[i];
    }
  }
  return {std::sqrt(accumulation_squares / weight_) + std::sqrt(optimizer_squares / weight_) + regulariser,
          accumulation_rms + optimizer_rms + regulariser};
}

}  // namespace batchscope::goodput
