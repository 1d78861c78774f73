// SPDX-License-Identifier: GPL-3.0-or-later
#include "runs/epoch_bar.h"

#include <QPainter>
#include <QPainterPath>
#include <algorithm>
#include <cmath>

#include "look/theme.h"

namespace batchscope::desktop {

EpochBar::EpochBar(QWidget* parent) : QWidget(parent) {
  setFixedHeight(7);
  setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
  setAccessibleName(tr("Progress of the run"));
}

void EpochBar::setProgress(double fraction, int epochs) {
  fraction_ = std::clamp(fraction, 0.0, 1.0);
  epochs_ = epochs;
  setAccessibleDescription(tr("%1 percent").arg(static_cast<int>(100 * fraction_)));
  update();
}

void EpochBar::paintEvent(QPaintEvent*) {
  const Theme& theme = Theme::current();
  QPainter painter(this);
  painter.setRenderHint(QPainter::Antialiasing);
  QPainterPath outline;
  outline.addRoundedRect(rect(), 3.5, 3.5);
  painter.setClipPath(outline);
  painter.fillRect(rect(), theme.hairline);
  painter.fillRect(QRectF(0, 0, width() * fraction_, height()), theme.accent);
  if (epochs_ < 2 || width() / epochs_ < 14) return;
  painter.setPen(QPen(theme.background, 1));
  for (int epoch = 1; epoch < epochs_; ++epoch) {
    const double x = std::floor(static_cast<double>(width()) * epoch / epochs_) + 0.5;
    painter.drawLine(QPointF(x, 0), QPointF(x, height()));
  }
}

}  // namespace batchscope::desktop
