// SPDX-License-Identifier: Apache-2.0
/// \file
/// Between a generation's steps and what else a horizontal axis may count: time, scale-invariant iterations,
/// epochs, samples. All of these are recorded series that only grow, so the map is linear between their
/// samples, and of a bucket of them it is known that it goes from (first_step, min) to (last_step, max).
#pragma once

#include <span>

#include "batchscope/storage/samples.h"

namespace batchscope::common {

/// The map of one generation.
class StepMap {
 public:
  StepMap() = default;  ///< steps themselves
  /// Maps by the series' buckets over steps (borrowed, none may be NaN), counted from `origin`.
  StepMap(std::span<const storage::Bucket> buckets, double origin)
      : buckets_(buckets), origin_(origin), isStep_(false) {}

  double at(double step) const;   ///< constant beyond what is known; NaN where nothing is
  double stepAt(double x) const;  ///< at which x is reached, within the first and the last; NaN as above

 private:
  std::span<const storage::Bucket> buckets_;
  double origin_ = 0;
  bool isStep_ = true;
};

}  // namespace batchscope::common
