// SPDX-License-Identifier: Apache-2.0
#include "adapt/robust_mean.h"

#include <algorithm>
#include <numeric>
#include <span>
#include <vector>

namespace batchscope::replica {
namespace {

constexpr double kSeconds = 10;
constexpr double kLeastBlocks = 2, kMostBlocks = 64;

// The mean of the middle three quarters.
double trimmed_mean(std::span<const double> measured) {
  std::vector<double> sorted(measured.begin(), measured.end());
  std::sort(sorted.begin(), sorted.end());
  const auto cut = static_cast<std::ptrdiff_t>(sorted.size() / 8);
  return std::accumulate(sorted.begin() + cut, sorted.end() - cut, 0.0) /
         static_cast<double>(sorted.size() - 2 * static_cast<std::size_t>(cut));
}

}  // namespace

RobustMean::RobustMean(double value, std::int64_t count)
    : of_blocks_(value), blocks_(count > 0 ? 1 : 0), count_(count) {}

void RobustMean::add(double seconds) {
  block_[in_block_++] = seconds;
  ++count_;
  if (in_block_ < kBlock) return;
  in_block_ = 0;
  const double mean = trimmed_mean(block_);
  const double most = std::clamp(kSeconds / (mean * kBlock), kLeastBlocks, kMostBlocks);
  blocks_ = std::min(blocks_ + 1, static_cast<std::int64_t>(most));
  of_blocks_ += (mean - of_blocks_) / static_cast<double>(blocks_);
}

double RobustMean::value() const {
  if (blocks_ > 0) return of_blocks_;
  return in_block_ > 0 ? trimmed_mean({block_.data(), in_block_}) : 0;
}

}  // namespace batchscope::replica
