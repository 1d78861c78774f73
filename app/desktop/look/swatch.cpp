// SPDX-License-Identifier: GPL-3.0-or-later
#include "look/swatch.h"

#include <QGuiApplication>
#include <QPainter>

#include "batchscope/common/tone.h"
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

QColor toneColour(const QString& tone, const Theme& theme) {
  if (tone == QLatin1String("good")) return theme.good;
  if (tone == QLatin1String("bad")) return theme.bad;
  return tone == QLatin1String("plain") ? theme.faint : theme.warning;
}

QColor stateColour(const QString& state, const Theme& theme) {
  return toneColour(QString::fromLatin1(common::toneOf(state.toStdString())), theme);
}

QPixmap dot(const QColor& colour) { return bar(colour, 8, 8); }

QPixmap stroke(const QColor& colour) { return bar(colour, 11, 3); }

}  // namespace batchscope::desktop
