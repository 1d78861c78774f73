// SPDX-License-Identifier: GPL-3.0-or-later
#include "view_state.h"

#include <algorithm>
#include <cmath>

namespace batchscope::desktop {
namespace {

SeriesModel::Extent translate(const SeriesModel& model, XAxis from, XAxis to, SeriesModel::Extent range) {
  if (from == to) return range;
  const auto move = [&](double x, double fallback) {
    const auto at = model.nearest(from, x);
    return at ? model.position(to, *at).value_or(fallback) : fallback;
  };
  const auto whole = model.extent(to);
  return {move(range.low, whole.low), move(range.high, whole.high)};
}

}  // namespace

ViewState::Extent ViewState::range(const SeriesModel& model, XAxis axis) const {
  if (!zoom_) return model.extent(axis);
  const Extent range = translate(model, axis_, axis, *zoom_);
  return range.high > range.low ? range : model.extent(axis);
}

void ViewState::setAxis(XAxis axis, const SeriesModel* model) {
  if (axis == axis_) return;
  if (zoom_ && model != nullptr) zoom_ = translate(*model, axis_, axis, *zoom_);
  undo_.clear();
  axis_ = axis;
  Q_EMIT changed();
}

void ViewState::setFollow(bool follow) {
  if (follow == follow_) return;
  follow_ = follow;
  Q_EMIT changed();
}

void ViewState::setSmoothing(double smoothing) {
  if (smoothing == smoothing_) return;
  smoothing_ = smoothing;
  Q_EMIT changed();
}

void ViewState::setLogY(bool log) {
  if (log == logY_) return;
  logY_ = log;
  Q_EMIT changed();
}

void ViewState::setShowsPeaks(bool peaks) {
  if (peaks == peaks_) return;
  peaks_ = peaks;
  Q_EMIT changed();
}

void ViewState::setZoom(const SeriesModel& model, Extent range) {
  const Extent whole = model.extent(axis_);
  if (whole.empty()) return;
  const double width = std::min(range.high - range.low, whole.high - whole.low);
  // No narrower than what still shows two steps; no further out than the run.
  const double narrowest = axis_ == XAxis::WallTime ? 1e-3 : 1.0;
  if (!(width >= narrowest)) return;
  if (width >= whole.high - whole.low) {
    zoom_.reset();
  } else {
    const double low = std::clamp(range.low, whole.low, whole.high - width);
    zoom_ = Extent{low, low + width};
    if (zoom_->high < whole.high - 0.02 * width) follow_ = false;
  }
  Q_EMIT changed();
}

void ViewState::zoomTo(const SeriesModel& model, XAxis axis, Extent range) {
  undo_.push_back(zoom_);
  setZoom(model, translate(model, axis, axis_, range));
}

void ViewState::zoomBy(const SeriesModel& model, XAxis axis, double centre, double factor) {
  const Extent now = range(model, axis);
  setZoom(model, translate(model, axis, axis_,
                           {centre - (centre - now.low) * factor, centre + (now.high - centre) * factor}));
}

void ViewState::panBy(const SeriesModel& model, XAxis axis, double fraction) {
  if (!zoom_) return;
  const double shift = (zoom_->high - zoom_->low) * fraction;
  setZoom(model, {zoom_->low + shift, zoom_->high + shift});
}

void ViewState::undoZoom() {
  if (undo_.empty()) return;
  zoom_ = undo_.back();
  undo_.pop_back();
  Q_EMIT changed();
}

void ViewState::resetZoom() {
  if (zoom_) undo_.push_back(zoom_);
  zoom_.reset();
  follow_ = true;
  Q_EMIT changed();
}

void ViewState::advance(const SeriesModel& model) {
  if (!zoom_ || !follow_) return;
  const Extent whole = model.extent(axis_);
  const double width = zoom_->high - zoom_->low;
  if (!whole.empty()) zoom_ = Extent{whole.high - width, whole.high};
}

void ViewState::setCursor(std::optional<StepRef> cursor) {
  if (cursor == cursor_) return;
  cursor_ = cursor;
  Q_EMIT cursorMoved();
}

void ViewState::clear() {
  zoom_.reset();
  undo_.clear();
  follow_ = true;
  setCursor({});
  Q_EMIT changed();
}

}  // namespace batchscope::desktop
