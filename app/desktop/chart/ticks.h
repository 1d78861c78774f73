// SPDX-License-Identifier: GPL-3.0-or-later
//
// Where an axis has its labels and what they say: round numbers (1, 2, 2.5, 5 times a power of ten; for time
// the steps of a clock), at most `most` of them, with a common number of decimals.
#pragma once

#include <QString>
#include <vector>

namespace batchscope::desktop {

struct Tick {
  double value = 0;
  QString label;
  bool operator==(const Tick&) const = default;
};

// The smallest round interval that covers [low, high] with at most `most` steps.
double roundInterval(double low, double high, int most);

std::vector<Tick> linearTicks(double low, double high, int most);
std::vector<Tick> timeTicks(double low, double high, int most);     // seconds
std::vector<Tick> logTimeTicks(double low, double high, int most);  // seconds, > 0
std::vector<Tick> logTicks(double low, double high, int most);      // both > 0

}  // namespace batchscope::desktop
