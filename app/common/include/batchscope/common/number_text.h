// SPDX-License-Identifier: Apache-2.0
/// \file
/// Numbers as a person reads them, by the default locale: few significant digits, grouped thousands, times in
/// the unit that fits. A dash stands for what is not a number or a time.
#pragma once

#include <QString>
#include <cstdint>

namespace batchscope::common {

QString formatCount(std::int64_t value);                 ///< 7,214
QString formatNumber(double value, int digits = 3);      ///< 4,700  4.21  0.34  1.20 × 10⁻⁵
QString formatPower(int exponent);                       ///< 10⁻⁵
QString formatPercent(double fraction, int digits = 0);  ///< 19 %; 98.4 % with three digits
QString formatResult(double fraction);                   ///< 97.29 %, with two decimals
QString formatDuration(double seconds);                  ///< 45 s  61 min  3 h 20 min
QString formatPause(double seconds);                     ///< 9 ms  0.16 s  14.2 s  61 min
QString formatClock(double seconds);                     ///< 0:07  36:41  2:05:10
QString formatBytes(std::int64_t bytes);                 ///< 41 MB  1.5 GB
QString formatTimeOfDay(double secondsSince1970);        ///< 14:05, with the date where it is not today's
QString formatSecondOfDay(double secondsSince1970);      ///< 14:05:09, the same

}  // namespace batchscope::common
