// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

namespace batchscope::desktop {

class SeriesModel;

// The steps that a generation did again, because the checkpoint it began with undid them.
struct Repeated {
  std::int64_t steps = 0;
  double seconds = 0;
};
Repeated repeatedBefore(const SeriesModel& series, int generation);

}  // namespace batchscope::desktop
