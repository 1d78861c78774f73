// SPDX-License-Identifier: GPL-3.0-or-later
//
// Goodput over how devices are split between two runs: of each, and the sum. The split is dragged.
#pragma once

#include <QWidget>
#include <optional>

#include "chart/decimate.h"
#include "lessons/sharing.h"

namespace batchscope::desktop {

class SharingPlot : public QWidget {
  Q_OBJECT
 public:
  explicit SharingPlot(QWidget* parent = nullptr);

  // What the marks at the top stand for, by the devices of the first run.
  struct Mark {
    int first = 0;
    QString text;
  };
  void setSharing(std::optional<Sharing> sharing, std::vector<Mark> marks);
  void setSplit(int first);
  // Where the split stands on the screen.
  double placeOf(int first) const;

 Q_SIGNALS:
  void splitDragged(int first);

 protected:
  void paintEvent(QPaintEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;

 private:
  Projection projection() const;
  void paintMarks(QPainter& painter, const Projection& projection) const;
  void paintLegend(QPainter& painter, const Projection& projection) const;

  std::optional<Sharing> sharing_;
  std::vector<Mark> marks_;
  int first_ = 0;
};

}  // namespace batchscope::desktop
