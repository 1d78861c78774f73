// SPDX-License-Identifier: GPL-3.0-or-later
//
// One series of one generation in memory, bounded: every sample by itself while there are few, then buckets
// of 2, 4, 8 .. steps with minimum, maximum and mean, so that a million-sample history costs some hundred
// kilobytes and still shows every spike. What a deep zoom needs beyond that is read from the store.
#pragma once

#include <cstdint>
#include <vector>

#include "batchscope/storage/samples.h"

namespace batchscope::desktop {

// The store's bucket, but min, max and mean are NaN where no value was finite.
using storage::Bucket;

class Track {
 public:
  explicit Track(std::size_t capacity = 8192) : capacity_(capacity) {}

  // Samples in ascending order of steps.
  void append(std::int64_t step, double value);
  void append(const Bucket& bucket);

  const std::vector<Bucket>& buckets() const { return buckets_; }
  bool empty() const { return buckets_.empty(); }
  std::int64_t firstStep() const { return buckets_.front().first_step; }
  std::int64_t lastStep() const { return buckets_.back().last_step; }
  // The cursor of a live reader.
  std::int64_t nextStep() const { return buckets_.empty() ? 0 : lastStep() + 1; }
  std::int64_t sampleCount() const { return samples_; }
  // The widest bucket, in steps; 1: every sample is here.
  std::int64_t resolution() const { return resolution_; }

  // The first bucket that ends at or after the step.
  std::vector<Bucket>::const_iterator from(std::int64_t step) const;

 private:
  void halve();

  std::size_t capacity_;
  std::int64_t samples_ = 0;
  std::int64_t resolution_ = 1;
  std::int64_t target_ = 1;  // samples a bucket takes before the next is begun
  std::vector<Bucket> buckets_;
};

// The union of two neighbouring buckets.
Bucket merged(const Bucket& a, const Bucket& b);

}  // namespace batchscope::desktop
