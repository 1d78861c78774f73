// SPDX-License-Identifier: Apache-2.0
/// \file
/// Maps between a generation's steps and the other counts of a horizontal axis: time, scale-invariant
/// iterations, epochs, samples. All of these are recorded series that only grow, so the map is linear between
/// their samples, and a bucket of them goes from (first_step, min) to (last_step, max).
#pragma once

#include <span>

#include "batchscope/storage/samples.h"

namespace batchscope::common {

/// The map of one generation.
class StepMap {
 public:
  StepMap() = default;  ///< maps steps to themselves
  /// Maps by the series' buckets over steps (borrowed, none may be NaN), counted from `origin`.
  StepMap(std::span<const storage::Bucket> buckets, double origin)
      : buckets_(buckets), origin_(origin), isStep_(false) {}

  double at(double step) const;   ///< constant beyond the known steps; NaN where none is known
  double stepAt(double x) const;  ///< the step that reaches x, within the known steps; NaN as above

 private:
  std::span<const storage::Bucket> buckets_;
  double origin_ = 0;
  bool isStep_ = true;
};

}  // namespace batchscope::common
