// SPDX-License-Identifier: GPL-3.0-or-later
//
// Devices x time: a lane a device, bars in the colours of their runs, a notch at each restart, hatched
// where a device was idle. While it follows, its right end is now. The mouse drags the time along and the
// wheel zooms; Left, Right, +, -, Home (all of it) and End (now) do the same.
#pragma once

#include <QAbstractScrollArea>
#include <QTimer>
#include <functional>
#include <optional>

#include "queue/device_lanes.h"

namespace batchscope::desktop {

class DeviceTimeline : public QAbstractScrollArea {
  Q_OBJECT
 public:
  struct Range {
    double from = 0, to = 0;  // s since 1970
    bool operator==(const Range&) const = default;
  };

  // `clock` says what time it is, s since 1970.
  explicit DeviceTimeline(std::function<double()> clock, QWidget* parent = nullptr);

  void setLanes(std::vector<Lane> lanes);
  // Slots of Theme::runs, by the ids of runs.
  void setColours(std::map<std::string, int> colours);
  // All others are drawn paler; empty: none are.
  void setSelected(std::set<std::string> runs);

  const std::vector<Lane>& lanes() const { return lanes_; }
  Range range() const;
  bool follows() const { return follows_; }
  void setRange(const Range& range);  // and follows no longer
  void follow();
  void showAll();
  void zoomBy(double factor, double centre);
  void panBy(double share);

  // Returns the bar's place in the viewport, without what is cut off.
  QRectF placeOf(std::size_t lane, const LaneBar& bar) const;
  // Returns the text for a place: whose bar, of which device, since and until when, why; or that nobody had
  // it.
  QString textAt(const QPointF& place) const;

  QSize sizeHint() const override;
  QSize minimumSizeHint() const override;

 Q_SIGNALS:
  void runClicked(const QString& id);
  void rangeChanged();

 protected:
  bool event(QEvent* event) override;
  void paintEvent(QPaintEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  void wheelEvent(QWheelEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void mouseReleaseEvent(QMouseEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  void changeEvent(QEvent* event) override;

 private:
  QRectF plot() const;
  double xOf(double time) const;
  double timeAt(double x) const;
  std::optional<std::size_t> laneAt(double y) const;
  const LaneBar* barAt(const QPointF& place) const;
  void paintLane(QPainter& painter, std::size_t lane) const;
  void paintBar(QPainter& painter, const QRectF& place, const LaneBar& bar) const;
  void paintAxis(QPainter& painter) const;
  void updateScrollBar();

  std::function<double()> clock_;
  std::vector<Lane> lanes_;
  std::map<std::string, int> colours_;
  std::set<std::string> selected_;
  double first_ = 0;  // begin of the first lease; 0: there is none
  bool follows_ = true;
  double span_ = 600;                    // s that are seen
  double to_ = 0;                        // where it does not follow
  std::optional<QPointF> press_, last_;  // of the left button, where it went down and is now
  bool isDragged_ = false;
  QTimer tick_;
};

}  // namespace batchscope::desktop
