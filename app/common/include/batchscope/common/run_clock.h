// SPDX-License-Identifier: Apache-2.0
/// \file
/// The one clock of a run: what charts, events and lists count time from.
#pragma once

#include <vector>

#include "batchscope/storage/catalogue.h"

namespace batchscope::common {

/// Seconds since 1970 at which the run's time is zero: when its first replicas were launched, or where that
/// is not known, `otherwise`.
double clockOrigin(const std::vector<storage::Generation>& generations, double otherwise);
/// The same; while none were launched, when the run was made.
double clockOrigin(const storage::Run& run, const std::vector<storage::Generation>& generations);

}  // namespace batchscope::common
