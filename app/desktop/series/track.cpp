// SPDX-License-Identifier: GPL-3.0-or-later
#include "series/track.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace batchscope::desktop {

Bucket merged(const Bucket& a, const Bucket& b) {
  Bucket sum{
      a.first_step, b.last_step, a.count + b.count, std::fmin(a.min, b.min), std::fmax(a.max, b.max), 0};
  if (std::isnan(a.mean) || std::isnan(b.mean)) {
    sum.mean = std::isnan(a.mean) ? b.mean : a.mean;
  } else {
    sum.mean = (a.mean * static_cast<double>(a.count) + b.mean * static_cast<double>(b.count)) /
               static_cast<double>(sum.count);
  }
  return sum;
}

void Track::append(std::int64_t step, double value) {
  if (!std::isfinite(value)) value = std::numeric_limits<double>::quiet_NaN();
  append(Bucket{step, step, 1, value, value, value});
}

void Track::append(const Bucket& bucket) {
  samples_ += bucket.count;
  if (!buckets_.empty() && buckets_.back().count + bucket.count <= target_) {
    buckets_.back() = merged(buckets_.back(), bucket);
  } else {
    if (buckets_.size() >= capacity_) halve();
    buckets_.push_back(bucket);
  }
  const Bucket& last = buckets_.back();
  if (last.count > 1) resolution_ = std::max(resolution_, last.last_step - last.first_step + 1);
}

void Track::halve() {
  std::size_t size = 0;
  for (std::size_t i = 0; i + 1 < buckets_.size(); i += 2) {
    const Bucket pair = merged(buckets_[i], buckets_[i + 1]);
    resolution_ = std::max(resolution_, pair.last_step - pair.first_step + 1);
    target_ = std::max(target_, pair.count);
    buckets_[size++] = pair;
  }
  if (buckets_.size() % 2 == 1) buckets_[size++] = buckets_.back();
  buckets_.resize(size);
}

std::vector<Bucket>::const_iterator Track::from(std::int64_t step) const {
  return std::lower_bound(buckets_.begin(), buckets_.end(), step,
                          [](const Bucket& bucket, std::int64_t at) { return bucket.last_step < at; });
}

}  // namespace batchscope::desktop
