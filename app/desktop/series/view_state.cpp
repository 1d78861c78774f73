// SPDX-License-Identifier: GPL-3.0-or-later
#include "series/view_state.h"

#include <QSettings>
#include <algorithm>
#include <cmath>
#include <utility>

namespace batchscope::desktop {
namespace {

constexpr qint64 kOneGesture = 800;  // ms
constexpr std::size_t kMostUndo = 100;

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

ViewState::Extent ViewState::range(const SeriesModel& model, XAxis axis, bool isLog) const {
  isLog = isLog || logX_;
  if (!zoom_) return whole(model, axis, isLog);
  Extent range = translate(model, axis_, axis, *zoom_);
  if (head_) range.high = std::min(range.high, whole(model, axis, isLog).high);
  return range.high > range.low && (!isLog || range.low > 0) ? range : whole(model, axis, isLog);
}

ViewState::Extent ViewState::whole(const SeriesModel& model, XAxis axis, bool isLog) const {
  Extent all = model.extent(axis, isLog);
  for (const SeriesModel* companion : companions_) {
    const Extent one = companion->extent(axis, isLog);
    if (one.empty()) continue;
    all = all.empty() ? one : Extent{std::min(all.low, one.low), std::max(all.high, one.high)};
  }
  if (head_ && !all.empty()) {
    const double end =
        axis == XAxis::WallTime || !headStep_ ? *head_ : model.position(axis, *headStep_).value_or(all.high);
    all.high = std::clamp(end, all.low, all.high);
  }
  return all;
}

void ViewState::setCompanions(std::vector<const SeriesModel*> companions) {
  companions_ = std::move(companions);
}

std::optional<double> ViewState::cursorX(const SeriesModel& model, XAxis axis) const {
  if (!cursor_) return {};
  return beyond_ && axis == axis_ ? beyond_ : model.position(axis, *cursor_);
}

void ViewState::setPlayHead(const SeriesModel& model, double seconds) {
  if (!head_) zoomBefore_ = zoom_;
  head_ = seconds;
  headStep_ = model.nearest(XAxis::WallTime, seconds);
  advance(model);
  Q_EMIT changed();
  Q_EMIT cursorMoved();
}

void ViewState::endReplay() {
  if (!head_) return;
  head_.reset();
  headStep_.reset();
  zoom_ = zoomBefore_;
  Q_EMIT changed();
  Q_EMIT cursorMoved();
}

std::optional<StepRef> ViewState::present(const SeriesModel& model) const {
  const auto at = pointedAt();
  return at ? at : model.nearest(XAxis::WallTime, model.extent(XAxis::WallTime).high);
}

double ViewState::place(double x) const { return logX_ ? std::log(x) : x; }

double ViewState::unplace(double p) const { return logX_ ? std::exp(p) : p; }

double ViewState::shifted(const Extent& range, double x, double share) const {
  return unplace(place(x) + share * (place(range.high) - place(range.low)));
}

void ViewState::setAxis(XAxis axis, const SeriesModel* model) {
  if (axis == axis_) return;
  beyond_.reset();
  for (auto* ranges : {&undo_, &redo_}) {
    if (model == nullptr) ranges->clear();
    for (auto& range : *ranges) {
      if (range) range = translate(*model, axis_, axis, *range);
    }
  }
  if (zoom_ && model != nullptr) zoom_ = translate(*model, axis_, axis, *zoom_);
  axis_ = axis;
  Q_EMIT changed();
}

void ViewState::setZoom(const SeriesModel& model, Extent range, Gesture gesture) {
  const Extent whole = this->whole(model, axis_);
  if (whole.empty() || !(range.high - range.low >= narrowestView(axis_))) return;
  // No further out than the run.
  const double first = place(whole.low), last = place(whole.high);
  const double low = logX_ && !(range.low > 0) ? first : place(range.low);
  const double width = std::min(place(range.high) - low, last - first);
  std::optional<Extent> zoom;
  if (width < last - first) {
    const double from = std::clamp(low, first, last - width);
    zoom = Extent{unplace(from), unplace(from + width)};
    if (from + width < last - 0.02 * width) follow_ = false;
  }
  if (zoom == zoom_) return;
  remember(gesture);
  zoom_ = zoom;
  Q_EMIT changed();
}

void ViewState::remember(Gesture gesture) {
  const bool goesOn = gesture == gesture_ && gesture != Gesture::Drag && sinceGesture_.isValid() &&
                      sinceGesture_.elapsed() < kOneGesture;
  gesture_ = gesture;
  sinceGesture_.start();
  if (goesOn) return;
  if (undo_.size() >= kMostUndo) undo_.erase(undo_.begin());
  undo_.push_back(zoom_);
  redo_.clear();
  Q_EMIT zoomedByHand();
}

void ViewState::zoomTo(const SeriesModel& model, XAxis axis, Extent range) {
  setZoom(model, translate(model, axis, axis_, range), Gesture::Drag);
}

void ViewState::zoomBy(const SeriesModel& model, XAxis axis, double centre, double factor) {
  const Extent now = range(model, axis);
  if (now.empty()) return;
  const double middle = place(centre);
  setZoom(model,
          translate(model, axis, axis_,
                    {unplace(middle - (middle - place(now.low)) * factor),
                     unplace(middle + (place(now.high) - middle) * factor)}),
          Gesture::Wheel);
}

void ViewState::panBy(const SeriesModel& model, XAxis axis, double fraction) {
  if (!zoom_) return;
  setZoom(model, {shifted(*zoom_, zoom_->low, fraction), shifted(*zoom_, zoom_->high, fraction)},
          Gesture::Pan);
}

void ViewState::goBack(Zooms& from, Zooms& to) {
  if (from.empty()) return;
  gesture_ = Gesture::None;
  to.push_back(zoom_);
  zoom_ = from.back();
  from.pop_back();
  Q_EMIT changed();
}

void ViewState::resetZoom() {
  if (zoom_) remember(Gesture::Drag);
  zoom_.reset();
  follow_ = true;
  Q_EMIT changed();
}

void ViewState::advance(const SeriesModel& model) {
  if (!zoom_ || !follow_) return;
  const Extent whole = this->whole(model, axis_);
  const double width = place(zoom_->high) - place(zoom_->low);
  if (!whole.empty()) {
    // A replay may not have come as far as the view is wide.
    const double low = unplace(place(whole.high) - width);
    zoom_ = Extent{head_ ? std::max(low, whole.low) : low, whole.high};
  }
}

void ViewState::setCursor(std::optional<StepRef> cursor, std::optional<double> beyond) {
  if (cursor == cursor_ && beyond == beyond_) return;
  cursor_ = cursor;
  beyond_ = beyond;
  Q_EMIT cursorMoved();
}

void ViewState::pressMark(const StepRef& mark) {
  setCursor(mark);
  Q_EMIT markPressed(mark);
}

void ViewState::clear() {
  marks_.clear();
  zoom_.reset();
  undo_.clear();
  redo_.clear();
  follow_ = true;
  endReplay();
  setCursor({});
  Q_EMIT changed();
}

void ViewState::setLook(const Look& look) {
  axis_ = look.axis;
  follow_ = look.follow;
  logX_ = look.logX;
  logY_ = look.logY;
  peaks_ = look.peaks;
  smoothing_ = look.smoothing;
  zoom_ = look.zoom;
  undo_ = look.undo;
  redo_ = look.redo;
  gesture_ = Gesture::None;
  setCursor({});
  Q_EMIT changed();
}

void ViewState::save(QSettings& settings) const {
  settings.setValue(QStringLiteral("view/axis"), static_cast<int>(axis_));
  settings.setValue(QStringLiteral("view/log-x"), logX_);
  settings.setValue(QStringLiteral("view/y-scale"), !logY_   ? QStringLiteral("auto")
                                                    : *logY_ ? QStringLiteral("log")
                                                             : QStringLiteral("linear"));
  settings.setValue(QStringLiteral("view/peaks"), peaks_);
  settings.setValue(QStringLiteral("view/smoothing"), smoothing_);
}

void ViewState::restore(const QSettings& settings) {
  const int axis = settings.value(QStringLiteral("view/axis"), static_cast<int>(axis_)).toInt();
  if (axis >= 0 && axis < static_cast<int>(kXAxes.size())) axis_ = static_cast<XAxis>(axis);
  logX_ = settings.value(QStringLiteral("view/log-x"), logX_).toBool();
  const QString scale = settings.value(QStringLiteral("view/y-scale")).toString();
  if (scale == QLatin1String("log") || scale == QLatin1String("linear"))
    logY_ = scale == QLatin1String("log");
  peaks_ = settings.value(QStringLiteral("view/peaks"), peaks_).toBool();
  const double smoothing = settings.value(QStringLiteral("view/smoothing"), smoothing_).toDouble();
  if (smoothing >= 0 && smoothing < 1) smoothing_ = smoothing;
  Q_EMIT changed();
}

}  // namespace batchscope::desktop
