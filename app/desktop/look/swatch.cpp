// SPDX-License-Identifier: GPL-3.0-or-later
#include "look/swatch.h"

#include <QGuiApplication>
#include <QPainter>

#include "look/theme.h"

namespace batchscope::desktop {
namespace {

constexpr QSize kSize(12, 12);

// Draws a bar with round ends, in the middle.
QPixmap bar(const QColor& colour, double width, double height) {
  const qreal ratio = qGuiApp->devicePixelRatio();
  QPixmap picture((QSizeF(kSize) * ratio).toSize());
  picture.setDevicePixelRatio(ratio);
  picture.fill(Qt::transparent);
  QPainter painter(&picture);
  painter.setRenderHint(QPainter::Antialiasing);
  painter.setPen(Qt::NoPen);
  painter.setBrush(colour);
  painter.drawRoundedRect(QRectF(6 - width / 2, 6 - height / 2, width, height), height / 2, height / 2);
  return picture;
}

}  // namespace

QColor stateColour(const QString& state, const Theme& theme) {
  if (state == QLatin1String("running")) return theme.good;
  if (state == QLatin1String("failed") || state == QLatin1String("interrupted") ||
      state == QLatin1String("damaged"))
    return theme.bad;
  if (state == QLatin1String("finished") || state == QLatin1String("stopped") ||
      state == QLatin1String("succeeded") || state == QLatin1String("cancelled"))
    return theme.faint;
  return theme.warning;
}

QPixmap dot(const QColor& colour) { return bar(colour, 8, 8); }

QPixmap stroke(const QColor& colour) { return bar(colour, 11, 3); }

}  // namespace batchscope::desktop
