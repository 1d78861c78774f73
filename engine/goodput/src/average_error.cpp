// SPDX-License-Identifier: Apache-2.0
#include "batchscope/goodput/average_error.h"

#include <algorithm>
#include <cmath>

namespace batchscope::goodput {

namespace {
constexpr double kMostShares = 0.34;  // three equal ones
}

void AverageError::add(double share, double distance) {
  const double kept = 1 - share, after = kept * distance;
  shares_ = kept * kept * shares_ + share * share;
  scatter_ = kept * (scatter_ + share * distance * distance);
  together_ = kept * together_ + share * after * last_;
  last_ = after;
}

void AverageError::rescale(double factor) {
  scatter_ *= factor * factor;
  together_ *= factor * factor;
  last_ *= factor;
}

std::optional<double> AverageError::standard_error() const {
  if (shares_ > kMostShares) return {};
  return std::sqrt(shares_ * (scatter_ + 2 * std::max(together_, 0.0)) / (1 - shares_));
}

void AverageError::restore(const std::array<double, 4>& state) {
  shares_ = state[0];
  scatter_ = state[1];
  together_ = state[2];
  last_ = state[3];
}

}  // namespace batchscope::goodput
