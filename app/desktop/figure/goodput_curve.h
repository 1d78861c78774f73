// SPDX-License-Identifier: GPL-3.0-or-later
//
// Throughput and goodput (one scale) and efficiency (0 to 1) over the logarithm of the batch size, with the
// present and the best operating point and, shaded, where accumulation begins. Small in the control panel,
// where a click asks for more; large in the explorer, with labelled axes.
#pragma once

#include <optional>
#include <vector>

#include "chart/prediction.h"
#include "figure/figure.h"

namespace batchscope::desktop {

class GoodputCurve : public Figure {
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
  void mousePressEvent(QMouseEvent* event) override;

 private:
  FigureData figure(const std::optional<OperatingPoint>& now,
                    const std::optional<OperatingPoint>& best) const;

  bool isLarge_ = false;
  std::vector<OperatingPoint> curve_;
};

}  // namespace batchscope::desktop
