// SPDX-License-Identifier: GPL-3.0-or-later
//
// One entry of a chart's legend: a short line in the series' colour and its name. Pressing it hides or shows
// the line.
#pragma once

#include <QAbstractButton>

#include "chart/chart_spec.h"

namespace batchscope::desktop {

class LegendButton : public QAbstractButton {
  Q_OBJECT
 public:
  LegendButton(const LineSpec& line, QWidget* parent = nullptr);

  // While runs are compared, the sample shows the line's strokes in no run's colour; `line` is its place.
  void setCompared(bool isCompared, std::size_t line);

  QSize sizeHint() const override;

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  int colour_;
  bool isDashed_;
  bool isBound_;
  bool isCompared_ = false;
  QList<qreal> strokes_;
};

}  // namespace batchscope::desktop
