// SPDX-License-Identifier: Apache-2.0
#include "adapt/core_trials.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <utility>

namespace batchscope::replica {
namespace {

constexpr std::size_t kBefore = 20, kTrial = 4;  // steps
constexpr std::size_t kCompared = 5;             // of those before, which are enough where they take long
constexpr double kLong = 1;                      // s
constexpr double kFaster = 1.05;
constexpr double kLeastSeconds = 1, kShare = 0.005;  // between trials; of the time

double median(std::vector<double> seconds) {
  const auto middle = seconds.begin() + static_cast<std::ptrdiff_t>(seconds.size() / 2);
  std::nth_element(seconds.begin(), middle, seconds.end());
  return *middle;
}

}  // namespace

void CoreTrials::took(const BatchShape& shape, double seconds, double now) {
  if (std::exchange(shape_, shape) != shape) {
    trial_ = 0;
    before_.clear();
    return;  // its first step warms up
  }
  if (trial_ > 0) {
    during_.push_back(seconds);
    if (during_.size() == kTrial) decide(now);
    return;
  }
  if (before_.size() == kBefore) before_.erase(before_.begin());
  before_.push_back(seconds);
  const bool is_enough =
      before_.size() == kBefore ||
      (before_.size() >= kCompared && std::accumulate(before_.begin(), before_.end(), 0.0) >= kLong);
  if (!is_enough || now < due_) return;
  during_.clear();
  trial_ = candidate();
}

int CoreTrials::candidate() {
  for (int kind = 0; kind < 3; ++kind) {
    const int cores =
        std::array{own_ / 2, std::min(2 * own_, all_), std::min(1, all_)}[static_cast<std::size_t>(turn_)];
    turn_ = (turn_ + 1) % 3;
    if (cores > 0 && cores != own_) return cores;
  }
  return 0;
}

void CoreTrials::decide(double now) {
  const double before = median({before_.end() - kCompared, before_.end()});
  const double during = median({during_.begin() + 1, during_.end()});
  if (during * kFaster < before) own_ = trial_;
  due_ = now + std::max(kLeastSeconds, (during - before) * kTrial / kShare);
  trial_ = 0;
  before_.clear();
}

}  // namespace batchscope::replica
