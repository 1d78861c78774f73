// SPDX-License-Identifier: Apache-2.0
/// \file
/// The gradient noise scale's recurrences, from squared norms alone (AdaScale's estimators as AdaptDL's
/// gradient_noise_scale.py has them). From `count` gradients of equal batches, with mean local square
/// L = mean |g_i|^2 and T = |mean g_i|^2:
///
///     |grad|^2 ~ (count * T - L) / (count - 1)          tr(cov) ~ (L - T) * scale / (count - 1)
///
/// both averaged as the mode says. With a single gradient per step, two successive ones serve as a pair (the
/// difference estimator), until a step with several resets the averages.
#pragma once

#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include "batchscope/goodput/average_error.h"
#include "batchscope/goodput/model.h"

namespace batchscope::goodput {

/// The squared norms of one step, each vector with an entry for each parameter group.
struct NormSample {
  /// SUM over replicas and micro-batches of each local gradient's squared norm.
  std::vector<double> local_sqr;
  std::vector<double> total_sqr;  ///< squared norm of the averaged gradient
  int count = 1;                  ///< replicas x micro-batches
  double scale = 1;               ///< batch size of the step over the initial batch size
  /// Squared norms of the previous gradient; only with count == 1, from the second step on.
  std::vector<double> previous_sqr;
  /// Squared norms of the mean of both gradients; given where previous_sqr is.
  std::vector<double> mean_of_two_sqr;

  /// Returns whether the step's own sums are finite: of every local gradient, and of the averaged one.
  bool is_finite() const;
  /// Leaves the previous gradient out: of another batch size, it is not a pair with this one.
  void forget_previous();
};

/// How estimates become averages.
///
///                theta                       young averages                    estimates are clipped to
///                                                                              sqr >= 0, var >= 1e-6
///     adaptdl    smoothing^scale             debiased                          after averaging
///     paper      max(1 - scale / 1000, 0)    mean of all while fewer than      before
///                                            1 / (1 - theta)
///     fairscale  smoothing, or else          debiased, or as in the paper      before
///                max(1 - count / 1000, 0)
///
/// The modes of the paper and of FairScale have a gain of exactly 1 until there is an estimate. The paper
/// asks for a step's gain before the update by that step, AdaptDL and FairScale after it.
///
/// These three modes remember about a thousand scale-invariant iterations. While a network learns, both
/// numbers fall, and such an average describes earlier weights, so that the noise scale lags. `tracking`,
/// which is ours, follows the present noise scale:
///
///     var   debiased average of a short memory, theta = (1 - 1/20)^scale: each estimate is near the truth
///     sqr   var times the debiased average of sqr / var, each estimate over the var of then; theta =
///           (1 - 1/n)^scale, n = age / 5, but 100 to 1000; age: the sum of scales so far
///
/// The quotient changes less than the two, and its estimates scatter alike early and late. A memory that
/// grows with its age lags by a constant share while the noise scale grows as a power of time. Two successive
/// gradients serve as a pair, as in AdaptDL's; where several follow, the averages go on.
enum class NoiseMode {
  adaptdl,    ///< AdaptDL's gradient_noise_scale.py
  paper,      ///< Johnson et al. 2020, appendix B.3
  fairscale,  ///< FairScale's optim/adascale.py
  tracking    ///< ours: a short memory, of quotients
};

/// AdaScale's gain, (var + sqr) / (var / scale + sqr): how many steps of the initial
/// batch size one step of `scale` times that is worth. Between 1 and scale for scale >= 1; 0 for scale <= 0.
double gain_of(double sqr, double var, double scale);

/// FairScale's default theta for this many gradients a step: max(1 - count / 1000, 0).
double fairscale_smoothing(int count);

/// The averaging of a NoiseScale.
struct NoiseOptions {
  NoiseMode mode = NoiseMode::adaptdl;  ///< how estimates are averaged
  std::optional<double> smoothing =
      std::nullopt;    ///< adaptdl: 0.999 where none is given; paper, tracking: not used
  bool debias = true;  ///< fairscale only (its debias_ewma)
};

/// The averaged statistics of the gradient, for a number of parameter groups. Squares are in squared units of
/// the gradient. Not thread-safe.
class NoiseScale {
 public:
  /// Throws std::invalid_argument unless 0 <= smoothing < 1.
  explicit NoiseScale(std::size_t groups, const NoiseOptions& options = {});

  /// Feeds one step, whose estimate stands for so many steps of its kind: the averages move as if each had
  /// given the same, and their error knows that it is one. Returns false, and changes nothing, where a local
  /// or a total sum is not finite; returns false also where there was nothing to learn. Throws
  /// std::invalid_argument for another number of groups, or a count, scale or number of steps that is not
  /// positive.
  bool update(const NormSample& sample, int steps = 1);

  double gain(double scale) const;  ///< gain_of the averages
  /// Returns the ends of the interval in which nine of ten true gains are; empty where the error is unknown.
  std::optional<std::pair<double, double>> gain_interval(double scale) const;
  double raw_gain(double scale) const;  ///< from the last step's estimates alone; NaN where there are none
  double sqr() const;                   ///< |true gradient|^2: sum over groups, each clamped to >= 0
  double var() const;                   ///< tr(cov): sum over groups, each clamped to >= 1e-6
  /// sqr and var with the error of sqr: of their quotient, all of it taken as that of sqr, as the gain and
  /// the noise scale need the quotient alone. It covers the scatter of the estimates, not the movement of the
  /// weights: neither the lag of the averages nor the bias of the difference estimator.
  GradParams params() const;
  const std::vector<double>& sqr_by_group() const;  ///< the averages as they are, without clamping
  const std::vector<double>& var_by_group() const;  ///< the averages as they are, without clamping
  bool biased() const;                              ///< the averages come from the difference estimator

  /// Sets the smoothing of all later steps. Throws std::invalid_argument as the constructor does.
  void set_smoothing(std::optional<double> smoothing);
  /// Adds a parameter group behind the others; its averages begin with the next step.
  void add_group();
  /// Restarts the averages with the next estimate. Until then they stay as they are.
  void begin_anew();
  /// Multiplies the averaged variance, for a change of the batch size that scale 1 means.
  void rescale_variance(double factor);

  /// Returns, for checkpoints, everything but the options, as plain finite numbers in a fixed order.
  std::vector<double> state() const;
  /// Averages of another mode are taken over as a single estimate. Throws std::invalid_argument, and changes
  /// nothing, for another number of groups or numbers not finite.
  void restore(const std::vector<double>& state);

 private:
  // An exponential average from zero and the weight that it has gathered, whose quotient is unbiased; for a
  // mean only the number of values, as weight.
  struct Average {
    double sum = 0, weight = 0;
    double add_debiased(double value, double theta);
    double add_to_mean(double value, double theta, double average, int steps);
    double share_of_mean(double theta, int steps) const;  // of a value that is added to it
  };
  double theta(double scale, int count) const;
  double smallest_var() const;
  bool tracks() const { return options_.mode == NoiseMode::tracking; }
  void follow(double scale, int count, int steps);
  void track(double scale, int steps);
  double quotient() const;

  NoiseOptions options_;
  bool difference_ = false;
  double age_ = 0;                  // tracking: the scales of all estimates
  std::vector<Average> sqr_, var_;  // tracking: sqr_ is of quotients
  std::vector<double> sqr_avg_, var_avg_, last_sqr_, last_var_;
  AverageError error_;  // of sqr / var
};

}  // namespace batchscope::goodput
