// SPDX-License-Identifier: GPL-3.0-or-later
//
// Measured step time over predicted, on logarithmic axes: a ring for each configuration, by area as many
// steps as it was trained for, and the diagonal where measurement and model agree, with 10 % to either side.
#pragma once

#include <QWidget>
#include <vector>

#include "chart/decimate.h"
#include "explorer/step_times.h"

namespace batchscope::desktop {

class StepTimePlot : public QWidget {
  Q_OBJECT
 public:
  explicit StepTimePlot(QWidget* parent = nullptr);

  void setTimes(std::vector<StepTime> times);
  // The middle of a configuration's ring; null outside the plot.
  QPointF place(const StepTime& time) const;

 protected:
  void paintEvent(QPaintEvent* event) override;
  bool event(QEvent* event) override;

 private:
  Projection projection() const;

  std::vector<StepTime> times_;
  double low_ = 0, high_ = 0;  // ms, of both axes
};

}  // namespace batchscope::desktop
