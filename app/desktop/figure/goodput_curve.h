// SPDX-License-Identifier: GPL-3.0-or-later
//
// Predicted throughput and goodput (one scale) and efficiency (0 to 1) over the logarithm of the batch size,
// with the best operating point, what was measured at the present one, dashed what the run may not take and,
// shaded, where accumulation begins. Small in the control panel,
// where a click asks for more; large in the explorer, with labelled axes.
#pragma once

#include <vector>

#include "chart/prediction.h"
#include "figure/figure.h"

namespace batchscope::desktop {

class GoodputCurve : public Figure {
  Q_OBJECT
 public:
  explicit GoodputCurve(QWidget* parent = nullptr);

  void setPrediction(GoodputPrediction prediction);
  void setLarge();
  const std::vector<OperatingPoint>& curve() const { return prediction_.curve; }
  // The smallest batch size that needs accumulation; 0: none does.
  std::int64_t accumulationBegins() const;

 Q_SIGNALS:
  void clicked();

 protected:
  void mousePressEvent(QMouseEvent* event) override;

 private:
  FigureData figure() const;
  QString textOf(const OperatingPoint& at) const;

  bool isLarge_ = false;
  GoodputPrediction prediction_;
};

}  // namespace batchscope::desktop
