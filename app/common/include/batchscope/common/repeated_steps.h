// SPDX-License-Identifier: Apache-2.0
/// \file
/// The steps that a generation did again, because the checkpoint it began with undid them.
#pragma once

#include <cstdint>

#include "batchscope/common/run_series.h"

namespace batchscope::common {

/// See above.
struct Repeated {
  std::int64_t steps = 0;  ///< that were done twice
  double seconds = 0;      ///< that they had taken before
};
/// Returns what the generation of this number did again.
Repeated repeatedBefore(const RunSeries& series, int generation);

}  // namespace batchscope::common
