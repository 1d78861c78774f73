// SPDX-License-Identifier: Apache-2.0
/// \file
/// The one clock of a run, from which charts, events and lists count time.
#pragma once

#include <vector>

#include "batchscope/storage/catalogue.h"

namespace batchscope::common {

/// Returns the zero of the run's time, in seconds since 1970: the launch of its first replicas, or
/// `otherwise` where that is unknown.
double clockOrigin(const std::vector<storage::Generation>& generations, double otherwise);
/// Returns the same; before the first launch, the creation of the run.
double clockOrigin(const storage::Run& run, const std::vector<storage::Generation>& generations);

}  // namespace batchscope::common
