// SPDX-License-Identifier: Apache-2.0
//
// The gradient noise scale's recurrences, from squared norms alone (AdaScale's estimators as AdaptDL's
// gradient_noise_scale.py has them). From `count` gradients of equal batches, with mean local square
// L = mean |g_i|^2 and T = |mean g_i|^2:
//   |grad|^2 ~ (count * T - L) / (count - 1)          tr(cov) ~ (L - T) * scale / (count - 1)
// both averaged with theta = smoothing^scale and debiased. With a single gradient per step, two successive
// ones serve as a pair (the difference estimator), until a step with several resets the averages.
#pragma once

#include <cstddef>
#include <vector>

namespace batchscope::goodput {

// Per parameter group.
struct NormSample {
  std::vector<double> local_sqr;  // SUM over replicas and micro-batches of each local gradient's squared norm
  std::vector<double> total_sqr;  // squared norm of the averaged gradient
  int count = 1;                  // replicas x micro-batches
  double scale = 1;               // batch size of the step over the initial batch size
  // Only with count == 1, from the second step on: of the gradient before, and of the mean of both.
  std::vector<double> previous_sqr;
  std::vector<double> mean_of_two_sqr;
};

class NoiseScale {
 public:
  // Throws std::invalid_argument unless 0 <= smoothing < 1.
  explicit NoiseScale(std::size_t groups, double smoothing = 0.999);

  // Feeds one step. Nothing moves where a local or a total sum is not finite; false then, and where there was
  // nothing to learn. Throws std::invalid_argument for another number of groups, or a count or scale that is
  // not positive.
  bool update(const NormSample& sample);

  // (var + sqr) / (var / scale + sqr), between 1 and scale for scale >= 1; 0 for scale <= 0.
  double gain(double scale) const;
  double raw_gain(double scale) const;  // from the last step's estimates alone; NaN where there are none
  double sqr() const;                   // sum over groups, each clamped to >= 0
  double var() const;                   // sum over groups, each clamped to >= 1e-6
  const std::vector<double>& sqr_by_group() const;
  const std::vector<double>& var_by_group() const;
  bool biased() const;  // the averages come from the difference estimator

  // For checkpoints: everything, as plain finite numbers in a fixed order.
  std::vector<double> state() const;
  // Throws std::invalid_argument, and changes nothing, for another number of groups or numbers not finite.
  void restore(const std::vector<double>& state);

 private:
  // An exponential average from zero, and the weight that it has gathered: their quotient is unbiased.
  struct Average {
    double biased = 0, unbias = 0;
    double add(double value, double theta);
  };
  double smoothing_;
  bool difference_ = false;
  std::vector<Average> sqr_, var_;
  std::vector<double> sqr_avg_, var_avg_, last_sqr_, last_var_;
};

}  // namespace batchscope::goodput
