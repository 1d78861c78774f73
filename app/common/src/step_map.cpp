// SPDX-License-Identifier: Apache-2.0
#include "batchscope/common/step_map.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace batchscope::common {
namespace {

using storage::Bucket;

double between(double x, double x0, double y0, double x1, double y1) {
  return x1 > x0 ? y0 + (y1 - y0) * std::clamp((x - x0) / (x1 - x0), 0.0, 1.0) : y1;
}

double firstOf(const Bucket& bucket) { return static_cast<double>(bucket.first_step); }
double lastOf(const Bucket& bucket) { return static_cast<double>(bucket.last_step); }

}  // namespace

double StepMap::at(double step) const {
  if (isStep_) return step;
  if (buckets_.empty()) return std::numeric_limits<double>::quiet_NaN();
  const auto bucket =
      std::lower_bound(buckets_.begin(), buckets_.end(), static_cast<std::int64_t>(std::ceil(step)),
                       [](const Bucket& b, std::int64_t at) { return b.last_step < at; });
  if (bucket == buckets_.end()) return buckets_.back().max - origin_;
  if (step >= firstOf(*bucket) || bucket == buckets_.begin())
    return between(step, firstOf(*bucket), bucket->min, lastOf(*bucket), bucket->max) - origin_;
  const auto before = std::prev(bucket);
  return between(step, lastOf(*before), before->max, firstOf(*bucket), bucket->min) - origin_;
}

double StepMap::stepAt(double x) const {
  if (isStep_) return x;
  if (buckets_.empty()) return std::numeric_limits<double>::quiet_NaN();
  const double value = x + origin_;
  const auto bucket = std::lower_bound(buckets_.begin(), buckets_.end(), value,
                                       [](const Bucket& b, double v) { return b.max < v; });
  if (bucket == buckets_.end()) return lastOf(buckets_.back());
  if (value >= bucket->min || bucket == buckets_.begin())
    return between(value, bucket->min, firstOf(*bucket), bucket->max, lastOf(*bucket));
  const auto before = std::prev(bucket);
  return between(value, before->max, lastOf(*before), bucket->min, firstOf(*bucket));
}

}  // namespace batchscope::common
