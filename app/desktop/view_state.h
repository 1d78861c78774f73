// SPDX-License-Identifier: GPL-3.0-or-later
//
// What all charts share: the x axis, the zoomed range with its undo, following, smoothing, logarithmic y, and
// the step under the cross-hair.
#pragma once

#include <QObject>
#include <optional>
#include <vector>

#include "series_model.h"

namespace batchscope::desktop {

class ViewState : public QObject {
  Q_OBJECT
 public:
  using Extent = SeriesModel::Extent;

  explicit ViewState(QObject* parent = nullptr) : QObject(parent) {}

  XAxis axis() const { return axis_; }
  bool follows() const { return follow_; }
  double smoothing() const { return smoothing_; }
  bool logY() const { return logY_; }
  bool showsPeaks() const { return peaks_; }
  bool isZoomed() const { return zoom_.has_value(); }
  const std::optional<StepRef>& cursor() const { return cursor_; }

  // What of `axis` is in view: the zoom, translated where it was made on another axis, else everything.
  Extent range(const SeriesModel& model, XAxis axis) const;

  // Changing the axis keeps the steps in view.
  void setAxis(XAxis axis, const SeriesModel* model);
  void setFollow(bool follow);
  void setSmoothing(double smoothing);
  void setLogY(bool log);
  // Whether single peaks stretch the y axes of noisy charts.
  void setShowsPeaks(bool peaks);

  // Zooms to a range of an axis; ranges too small to show anything are ignored. A zoom away from the newest
  // sample stops following.
  void zoomTo(const SeriesModel& model, XAxis axis, Extent range);
  void zoomBy(const SeriesModel& model, XAxis axis, double centre, double factor);
  void panBy(const SeriesModel& model, XAxis axis, double fraction);
  void undoZoom();
  void resetZoom();
  // New samples have come: a followed zoom moves along.
  void advance(const SeriesModel& model);

  void setCursor(std::optional<StepRef> cursor);
  void clear();  // another run is shown

 Q_SIGNALS:
  void changed();
  void cursorMoved();

 private:
  void setZoom(const SeriesModel& model, Extent range);

  XAxis axis_ = XAxis::WallTime;
  bool follow_ = true;
  bool logY_ = false;
  bool peaks_ = false;
  double smoothing_ = 0.6;
  std::optional<Extent> zoom_;
  std::vector<std::optional<Extent>> undo_;
  std::optional<StepRef> cursor_;
};

}  // namespace batchscope::desktop
