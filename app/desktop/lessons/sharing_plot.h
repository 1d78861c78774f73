// SPDX-License-Identifier: GPL-3.0-or-later
//
// Goodput over the split of devices between two runs: of each run, and the sum. A person drags the split.
#pragma once

#include <optional>

#include "batchscope/common/sharing.h"
#include "figure/figure.h"

namespace batchscope::desktop {

class SharingPlot : public Figure {
  Q_OBJECT
 public:
  explicit SharingPlot(QWidget* parent = nullptr);

  void setSharing(std::optional<common::Sharing> sharing);
  void setSplit(int first);

 Q_SIGNALS:
  void splitDragged(int first);

 protected:
  void mousePressEvent(QMouseEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;

 private:
  FigureData figure() const;

  std::optional<common::Sharing> sharing_;
  int first_ = 0;
};

}  // namespace batchscope::desktop
