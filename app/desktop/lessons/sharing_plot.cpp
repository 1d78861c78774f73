// SPDX-License-Identifier: GPL-3.0-or-later
#include "lessons/sharing_plot.h"

#include <QMouseEvent>
#include <algorithm>
#include <cmath>
#include <utility>

namespace batchscope::desktop {

SharingPlot::SharingPlot(QWidget* parent) : Figure(parent) {
  setMinimumSize(260, 180);
  setAccessibleName(tr("Goodput over the split of the devices"));
  viewport()->setCursor(Qt::SizeHorCursor);
}

void SharingPlot::setSharing(std::optional<common::Sharing> sharing) {
  sharing_ = std::move(sharing);
  setData(figure());
}

void SharingPlot::setSplit(int first) {
  first_ = first;
  setData(figure());
}

FigureData SharingPlot::figure() const {
  return sharing_ ? common::sharingFigure(*sharing_, first_) : FigureData();
}

void SharingPlot::mousePressEvent(QMouseEvent* event) { mouseMoveEvent(event); }

void SharingPlot::mouseMoveEvent(QMouseEvent* event) {
  if (!sharing_ || !event->buttons().testFlag(Qt::LeftButton)) {
    Figure::mouseMoveEvent(event);
    return;
  }
  const int first =
      std::clamp(static_cast<int>(std::lround(valueAt(event->position().x()))), 0, sharing_->devices());
  if (first != first_) Q_EMIT splitDragged(first);
}

}  // namespace batchscope::desktop
