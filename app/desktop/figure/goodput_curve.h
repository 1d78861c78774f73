// SPDX-License-Identifier: GPL-3.0-or-later
//
// Predicted throughput and goodput (one scale) and efficiency (0 to 1) over the logarithm of the batch size,
// with the best operating point and the goodput measured at the present one. Batch sizes out of reach are
// dashed, those with accumulation shaded. Small in the control panel, where a click opens the explorer; large
// there, with labelled axes.
#pragma once

#include <vector>

#include "batchscope/common/goodput_prediction.h"
#include "figure/figure.h"

namespace batchscope::desktop {

class GoodputCurve : public Figure {
  Q_OBJECT
 public:
  explicit GoodputCurve(QWidget* parent = nullptr);

  void setPrediction(common::GoodputPrediction prediction);
  void setLarge();
  const std::vector<common::OperatingPoint>& curve() const { return prediction_.curve; }
  // The smallest batch size that needs accumulation; 0: none does.
  std::int64_t accumulationBegins() const;

 Q_SIGNALS:
  void clicked();

 protected:
  void mousePressEvent(QMouseEvent* event) override;

 private:
  FigureData figure() const;
  QString textOf(const common::OperatingPoint& at) const;

  bool isLarge_ = false;
  common::GoodputPrediction prediction_;
};

}  // namespace batchscope::desktop
