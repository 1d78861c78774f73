// SPDX-License-Identifier: Apache-2.0
#include "batchscope/common/ticks.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace batchscope::common {
namespace {

constexpr std::size_t kMostTicks = 100;
constexpr double kSlack = 1e-9;  // of a number that is meant to be round

}  // namespace

double axisPlace(double value, double low, double high, bool isLogarithmic) {
  if (!isLogarithmic) return (value - low) / (high - low);
  return value > 0 ? std::log(value / low) / std::log(high / low) : std::numeric_limits<double>::quiet_NaN();
}

double roundInterval(double low, double high, int most) {
  const double rough = (high - low) / std::max(1, most);
  if (!(rough > 0) || !std::isfinite(rough)) return 1;
  const double power = std::pow(10, std::floor(std::log10(rough)));
  for (const double step : {1.0, 2.0, 2.5, 5.0})
    if (step * power >= rough * (1 - kSlack)) return step * power;
  return 10 * power;
}

std::vector<double> multiples(double low, double high, double interval) {
  std::vector<double> ticks;
  const double slack = interval * 1e-6;
  for (double n = std::ceil((low - slack) / interval);
       n * interval <= high + slack && ticks.size() < kMostTicks; ++n)
    ticks.push_back(n * interval + 0.0);  // no -0
  return ticks;
}

std::vector<double> roundTicks(double low, double high, int most) {
  if (!(high > low) || !std::isfinite(high - low)) return {low};
  return multiples(low, high, roundInterval(low, high, most));
}

std::vector<double> powers(double low, double high, double base, int most) {
  std::vector<double> ticks;
  const double first = std::ceil(std::log(low) / std::log(base) - kSlack);
  const double stride = std::max(1.0, std::ceil(std::log(high / low) / std::log(base) / std::max(1, most)));
  for (double n = first; ticks.size() < kMostTicks; n += stride) {
    const double value = std::pow(base, n);
    if (value > high * (1 + kSlack)) break;
    ticks.push_back(value);
  }
  return ticks;
}

std::vector<double> logTicks(double low, double high, int most) {
  std::vector<double> ticks = powers(low, high, 10, most);
  return ticks.size() < 2 ? roundTicks(low, high, most) : ticks;
}

int decimalsOf(double interval, int most) {
  double scaled = interval;
  for (int decimals = 0; decimals < most; ++decimals, scaled *= 10)
    if (std::abs(scaled - std::round(scaled)) < 1e-6 * scaled) return decimals;
  return most;
}

}  // namespace batchscope::common
