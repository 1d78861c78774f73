// SPDX-License-Identifier: GPL-3.0-or-later
#include "look/swatch.h"

#include <QGuiApplication>
#include <QPainter>

#include "look/theme.h"

namespace batchscope::desktop {
namespace {

constexpr QSize kSize(12, 12);

QPixmap empty() {
  const qreal ratio = qGuiApp->devicePixelRatio();
  QPixmap picture((QSizeF(kSize) * ratio).toSize());
  picture.setDevicePixelRatio(ratio);
  picture.fill(Qt::transparent);
  return picture;
}

}  // namespace

QColor stateColour(const QString& state, const Theme& theme) {
  if (state == QLatin1String("running")) return theme.good;
  if (state == QLatin1String("failed") || state == QLatin1String("interrupted") ||
      state == QLatin1String("damaged"))
    return theme.bad;
  if (state == QLatin1String("finished") || state == QLatin1String("stopped")) return theme.faint;
  return theme.warning;
}

QPixmap dot(const QColor& colour) {
  QPixmap picture = empty();
  QPainter painter(&picture);
  painter.setRenderHint(QPainter::Antialiasing);
  painter.setPen(Qt::NoPen);
  painter.setBrush(colour);
  painter.drawEllipse(QPointF(6, 6), 4, 4);
  return picture;
}

QPixmap stroke(const QColor& colour) {
  QPixmap picture = empty();
  QPainter painter(&picture);
  painter.setRenderHint(QPainter::Antialiasing);
  painter.setPen(QPen(colour, 3, Qt::SolidLine, Qt::RoundCap));
  painter.drawLine(QPointF(2, 6), QPointF(10, 6));
  return picture;
}

}  // namespace batchscope::desktop
