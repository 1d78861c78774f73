// SPDX-License-Identifier: Apache-2.0
/// \file
/// Where values lie on an axis, and where it has its ticks: multiples of a round number (1, 2, 2.5 or 5 times
/// a power of ten), or powers of one where it is logarithmic. What is written beside them, in which language
/// and unit, is for whoever draws.
#pragma once

#include <vector>

namespace batchscope::common {

/// Where a value lies on an axis from `low` to `high`: 0 to 1 between them. On a logarithmic axis, whose ends
/// are > 0, by its logarithm, and NaN unless it is > 0.
double axisPlace(double value, double low, double high, bool isLogarithmic);

/// The smallest round interval that covers [low, high] in at most `most` steps; 1 where there is nothing to
/// cover.
double roundInterval(double low, double high, int most);

/// The multiples of the interval within [low, high], at most 100; zero without a sign.
std::vector<double> multiples(double low, double high, double interval);

/// Multiples of the round interval; `low` alone where nothing is to be covered.
std::vector<double> roundTicks(double low, double high, int most);

/// Powers of `base` within [low, high], both > 0: every one, or every second, third .. so that there are
/// about `most`, 100 at most.
std::vector<double> powers(double low, double high, double base, int most);

/// Powers of ten where there are two or more within, else as roundTicks. Both > 0.
std::vector<double> logTicks(double low, double high, int most);

/// How many decimals tell the multiples of the interval apart exactly; `most` where no number below it does.
int decimalsOf(double interval, int most);

}  // namespace batchscope::common
