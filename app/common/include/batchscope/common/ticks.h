// SPDX-License-Identifier: Apache-2.0
/// \file
/// The places of values and ticks on an axis. Ticks are multiples of a round number (1, 2, 2.5 or 5 times a
/// power of ten), or powers of one on a logarithmic axis. The caller writes the labels, in its language and
/// unit.
#pragma once

#include <QString>
#include <vector>

namespace batchscope::common {

/// A tick with its label.
struct Tick {
  double value = 0;                              ///< place on the axis
  QString label;                                 ///< written beside it
  bool operator==(const Tick&) const = default;  ///< of all fields
};

/// Returns the place of a value on an axis from `low` to `high`: 0 to 1 between them. A logarithmic axis has
/// ends > 0 and goes by the logarithm; NaN there unless the value is > 0.
double axisPlace(double value, double low, double high, bool isLogarithmic);

/// Returns the smallest round interval that covers [low, high] in at most `most` steps; 1 for an empty range.
double roundInterval(double low, double high, int most);

/// Returns the multiples of the interval within [low, high], at most 100; zero without a sign.
std::vector<double> multiples(double low, double high, double interval);

/// Returns multiples of the round interval; `low` alone for an empty range.
std::vector<double> roundTicks(double low, double high, int most);

/// Returns powers of `base` within [low, high], both > 0: every one, or every second, third .. so that there
/// are about `most`, 100 at most.
std::vector<double> powers(double low, double high, double base, int most);

/// Returns powers of ten where two or more lie within, else roundTicks(). Both ends > 0.
std::vector<double> logTicks(double low, double high, int most);

/// Returns the number of decimals that tell the multiples of the interval apart exactly, at most `most`.
int decimalsOf(double interval, int most);

}  // namespace batchscope::common
