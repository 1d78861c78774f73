// SPDX-License-Identifier: GPL-3.0-or-later
//
// Numbers as a person reads them, by the default locale: few significant digits, grouped thousands, times
// in the unit that fits.
#pragma once

#include <QString>
#include <cstdint>

namespace batchscope::desktop {

QString formatCount(std::int64_t value);                 // 7,214
QString formatNumber(double value, int digits = 3);      // 4,700  4.21  0.34  1.2e-05; a dash for NaN
QString formatPower(int exponent);                       // 10⁻⁵
QString formatPercent(double fraction, int digits = 0);  // 19 %; 98.4 % with three
QString formatDuration(double seconds);                  // 45 s  61 min  3 h 20 min
QString formatPause(double seconds);                     // 9 ms  0.06 s  1.4 s
QString formatClock(double seconds);                     // 0:07  36:41  2:05:10
QString formatBytes(std::int64_t bytes);                 // 41 MB
QString formatTimeOfDay(double secondsSince1970);        // 14:05, with the date where it is not today
QString formatSecondOfDay(double secondsSince1970);      // 14:05:09, the same

}  // namespace batchscope::desktop
