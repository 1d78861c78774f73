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
    rows_.push_back({static_cast<double>(row.local_batch_size),
                     row.num_nodes > 1      ? kNodes
                     : row.num_replicas > 1 ? kReplicas
                                            : kNone,
                     std::max(row.num_replicas - 2.0, kFloor), std::log(row.accumulation_step_time),
                     std::log(row.optimizer_step_time)});
  }
}

FitObjective::Value FitObjective::operator()(const ParamVector& at, double smoothing,
                                             ParamVector* gradient) const {
  const double gamma = at[6];
  double accumulation_squares = 0, optimizer_squares = 0;
  ParamVector accumulation_slope{}, optimizer_slope{};  // of half the sums of squares
  for (const Row& row : rows_) {
    const std::size_t link = row.link == kNodes ? 2 : 4;
    const double compute = at[0] + at[1] * row.local_batch_size;
    const double sync =
        row.link == kNone ? kFloor + kFloor * row.beyond_two : at[link] + at[link + 1] * row.beyond_two;
    const double log_compute = std::log(compute);
    const double d = gamma * (std::log(sync) - log_compute);
    const double e = std::exp(-std::abs(d));  // never overflows
    const double softplus = std::max(d, 0.0) + std::log1p(e);
    const double share = (d > 0 ? 1 : e) / (1 + e);

    const double accumulation_error = log_compute - row.log_accumulation;
    const double optimizer_error = log_compute + softplus / gamma - row.log_optimizer;
    accumulation_squares += square(accumulation_error);
    optimizer_squares += square(optimizer_error);
    if (gradient == nullptr) continue;

    const double to_compute = optimizer_error * (1 - share) / compute;
    accumulation_slope[0] += accumulation_error / compute;
    accumulation_slope[1] += accumulation_error / compute * row.local_batch_size;
    optimizer_slope[0] += to_compute;
    optimizer_slope[1] += to_compute * row.local_batch_size;
    optimizer_slope[6] += optimizer_error * (share * d - softplus) / square(gamma);
    if (row.link != kNone) {
      const double to_sync = optimizer_error * share / sync;
      optimizer_slope[link] += to_sync;
      optimizer_slope[link + 1] += to_sync * row.beyond_two;
    }
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
