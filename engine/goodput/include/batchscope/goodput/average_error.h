// SPDX-License-Identifier: Apache-2.0
/// \file
/// The standard error of a weighted mean that moves with each value, from how far the values scatter:
///
///     mean <- mean + a * (value - mean)        0 < a <= 1: the value's share of the mean
///     w    <- (1 - a)^2 * w + a^2              sum of the squares of all values' shares
///     v    <- (1 - a) * (v + a * d^2)          d: value - mean, the mean of before
///     c    <- (1 - a) * c + a * e * e'         e: value - mean, the mean of after; e': that of the value
///     before
///
///     error^2 = w * (v + 2 * max(c, 0)) / (1 - w)
///
/// v is West's weighted variance (1979); v / (1 - w) has no bias. Neighbours count where they depend on each
/// other, as two differences of successive gradients do, which share one.
#pragma once

#include <array>
#include <optional>

namespace batchscope::goodput {

/// Follows one mean. Not thread-safe.
class AverageError {
 public:
  /// Adds a value with its share of the mean, 0 < share <= 1, and its distance from the mean of before. With
  /// a share of 1 nothing is left of what was before.
  void add(double share, double distance);
  /// Multiplies all values so far by a factor.
  void rescale(double factor);
  /// Returns the standard error, in units of the values; empty while the mean is of fewer than about three
  /// values.
  std::optional<double> standard_error() const;

  /// Returns the sums, for checkpoints: w, v, c, e'.
  std::array<double, 4> state() const { return {shares_, scatter_, together_, last_}; }
  /// Takes over what state() returned.
  void restore(const std::array<double, 4>& state);

 private:
  double shares_ = 1, scatter_ = 0, together_ = 0, last_ = 0;
};

}  // namespace batchscope::goodput
