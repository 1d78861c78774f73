// SPDX-License-Identifier: GPL-3.0-or-later
//
// Throughput and goodput (one scale) and efficiency (0 to 1) over the logarithm of the batch size, with the
// present and the best operating point and, shaded, where accumulation begins. Small in the control panel,
// where a click asks for more; large in the explorer, with labelled axes and a cross-hair.
#pragma once

#include <QWidget>
#include <optional>
#include <vector>

#include "chart/decimate.h"
#include "chart/prediction.h"

namespace batchscope::desktop {

class GoodputCurve : public QWidget {
  Q_OBJECT
 public:
  explicit GoodputCurve(QWidget* parent = nullptr);

  void setCurve(std::vector<OperatingPoint> curve, std::optional<OperatingPoint> now,
                std::optional<OperatingPoint> best);
  void setLarge();
  const std::vector<OperatingPoint>& curve() const { return curve_; }
  // The smallest batch size that needs accumulation; 0: none does.
  std::int64_t accumulationBegins() const;

 Q_SIGNALS:
  void clicked();

 protected:
  void paintEvent(QPaintEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void leaveEvent(QEvent* event) override;

 private:
  // Rates to the left and shares to the right, within the plot.
  struct Frame {
    Projection left, right;
    double px(std::int64_t batch) const;
    double rateY(double rate) const;
    double shareY(double share) const;
  };

  std::optional<Frame> frame() const;
  void paintAxes(QPainter& painter, const Frame& frame) const;
  void paintMarks(QPainter& painter, const Frame& frame) const;
  void paintLegend(QPainter& painter, const Frame& frame) const;
  void paintCursor(QPainter& painter, const Frame& frame) const;
  void label(QPainter& painter, const Frame& frame, QPointF at, const QString& text, bool goesLeft) const;

  bool isLarge_ = false;
  std::optional<double> cursor_;  // pixels
  std::vector<OperatingPoint> curve_;
  std::optional<OperatingPoint> now_, best_;
};

}  // namespace batchscope::desktop
