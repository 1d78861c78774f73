// SPDX-License-Identifier: GPL-3.0-or-later
//
// Goodput over the split of devices between two runs: of each run, and the sum. A person drags the split.
#pragma once

#include <optional>

#include "figure/figure.h"
#include "lessons/sharing.h"

namespace batchscope::desktop {

class SharingPlot : public Figure {
  Q_OBJECT
 public:
  explicit SharingPlot(QWidget* parent = nullptr);

  // A dashed line, by the devices of the first run.
  struct Mark {
    int first = 0;
    QString text;
  };
  void setSharing(std::optional<Sharing> sharing, std::vector<Mark> marks);
  void setSplit(int first);

 Q_SIGNALS:
  void splitDragged(int first);

 protected:
  void mousePressEvent(QMouseEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;

 private:
  FigureData figure() const;

  std::optional<Sharing> sharing_;
  std::vector<Mark> marks_;
  int first_ = 0;
};

}  // namespace batchscope::desktop
