// SPDX-License-Identifier: GPL-3.0-or-later
//
// The small chart of the control panel: throughput and goodput (one scale) and efficiency (0 to 1) over the
// logarithm of the batch size, with the present and the best operating point.
#pragma once

#include <QWidget>
#include <optional>
#include <vector>

#include "prediction.h"

namespace batchscope::desktop {

class GoodputCurve : public QWidget {
  Q_OBJECT
 public:
  explicit GoodputCurve(QWidget* parent = nullptr);

  void setCurve(std::vector<OperatingPoint> curve, std::optional<OperatingPoint> now,
                std::optional<OperatingPoint> best);

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  std::vector<OperatingPoint> curve_;
  std::optional<OperatingPoint> now_, best_;
};

}  // namespace batchscope::desktop
