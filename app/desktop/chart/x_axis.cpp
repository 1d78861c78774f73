// SPDX-License-Identifier: GPL-3.0-or-later
#include "chart/x_axis.h"

#include <QCoreApplication>
#include <algorithm>
#include <cmath>

namespace batchscope::desktop {
namespace {

double between(double x, double x0, double y0, double x1, double y1) {
  return x1 > x0 ? y0 + (y1 - y0) * std::clamp((x - x0) / (x1 - x0), 0.0, 1.0) : y1;
}

}  // namespace

QString xAxisName(XAxis axis) {
  const auto tr = [](const char* text) { return QCoreApplication::translate("XAxis", text); };
  switch (axis) {
    case XAxis::Step: return tr("Iterations");
    case XAxis::Progress: return tr("Scale-invariant iterations");
    case XAxis::Epoch: return tr("Statistical epochs");
    case XAxis::Samples: return tr("Samples");
    case XAxis::WallTime: return tr("Wall time");
    case XAxis::ActiveTime: return tr("Active time");
  }
  return {};
}

bool isTime(XAxis axis) { return axis == XAxis::WallTime || axis == XAxis::ActiveTime; }

double narrowestView(XAxis axis) {
  if (isTime(axis)) return 1e-3;
  return axis == XAxis::Epoch ? 1e-4 : 1;
}

// A bucket of a growing series goes from (first_step, min) to (last_step, max).
double XMap::at(double step) const {
  if (isStep_) return step;
  if (track_ == nullptr || track_->empty()) return std::numeric_limits<double>::quiet_NaN();
  const auto& buckets = track_->buckets();
  auto bucket = track_->from(static_cast<std::int64_t>(std::ceil(step)));
  if (bucket == buckets.end()) return buckets.back().max - origin_;
  const auto first = static_cast<double>(bucket->first_step);
  if (step >= first || bucket == buckets.begin()) {
    return between(step, first, bucket->min, static_cast<double>(bucket->last_step), bucket->max) - origin_;
  }
  const auto before = std::prev(bucket);
  return between(step, static_cast<double>(before->last_step), before->max, first, bucket->min) - origin_;
}

double XMap::stepAt(double x) const {
  if (isStep_) return x;
  if (track_ == nullptr || track_->empty()) return std::numeric_limits<double>::quiet_NaN();
  const double value = x + origin_;
  const auto& buckets = track_->buckets();
  const auto bucket = std::lower_bound(buckets.begin(), buckets.end(), value,
                                       [](const Bucket& b, double v) { return b.max < v; });
  if (bucket == buckets.end()) return static_cast<double>(buckets.back().last_step);
  const auto first = static_cast<double>(bucket->first_step);
  if (value >= bucket->min || bucket == buckets.begin()) {
    return between(value, bucket->min, first, bucket->max, static_cast<double>(bucket->last_step));
  }
  const auto before = std::prev(bucket);
  return between(value, before->max, static_cast<double>(before->last_step), bucket->min, first);
}

}  // namespace batchscope::desktop
