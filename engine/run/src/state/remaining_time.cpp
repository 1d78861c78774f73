// SPDX-License-Identifier: Apache-2.0
#include "state/remaining_time.h"

#include <algorithm>

namespace batchscope::run {
namespace {

constexpr double kWindow = 60;
constexpr double kSpacing = 0.5;  // between the points that are kept
constexpr double kShortest = 2;   // seconds of training before there is an estimate

}  // namespace

void RemainingTime::add(double mono, double fraction) {
  if (running_) active_ += std::max(0.0, mono - last_);
  running_ = true;
  last_ = mono;
  if (!points_.empty() && fraction < points_.back().fraction) points_.clear();
  // The newest point follows the present; older ones stand kSpacing apart.
  if (points_.size() >= 2 && active_ - points_[points_.size() - 2].active < kSpacing) points_.pop_back();
  points_.push_back({active_, fraction});
  while (points_.size() > 2 && active_ - points_[1].active >= kWindow) points_.pop_front();
}

void RemainingTime::interrupted() { running_ = false; }

double RemainingTime::estimate() const {
  if (points_.size() < 2) return -1;
  const double span = points_.back().active - points_.front().active;
  const double gained = points_.back().fraction - points_.front().fraction;
  if (span < kShortest || gained <= 0) return -1;
  return std::max(0.0, 1 - points_.back().fraction) * span / gained;
}

}  // namespace batchscope::run
