// SPDX-License-Identifier: GPL-3.0-or-later
#include "chart/line_look.h"

#include <QGuiApplication>
#include <QPainter>
#include <cmath>
#include <iterator>

#include "look/swatch.h"

namespace batchscope::desktop {
namespace {

constexpr double kThinLine = 1;
constexpr double kRadius = 2.2;       // of a marker
constexpr double kLargeRadius = 3.2;  // of one that names a run
constexpr int kMarkers = 4;
constexpr QSize kSample(12, 12);  // as all samples in lists (look/swatch.h)

// Returns the stroke pattern by the place of a line among the lines that are not bounds.
QList<qreal> strokesAt(std::size_t place) {
  static const QList<qreal> patterns[] = {
      {}, {4, 2.5}, {0.5, 2.5}, {5, 2, 0.5, 2}, {8, 2.5}, {5, 2, 0.5, 2, 0.5, 2}};
  return patterns[place % std::size(patterns)];
}

Marker markerAt(std::size_t place) { return static_cast<Marker>(place % kMarkers); }

}  // namespace

LineLook lookOf(const common::ChartSpec& spec, std::size_t line, const Theme& theme, std::optional<int> run) {
  const common::LineSpec& wanted = spec.lines[line];
  LineLook look = run ? lookOfRun(*run, theme) : LineLook();
  look.isBound = wanted.isBound;
  look.isSparse = wanted.isSparse;
  if (!run)
    look.colour = wanted.isBound
                      ? theme.dim
                      : theme.series[static_cast<std::size_t>(wanted.colour) % theme.series.size()];
  if (wanted.isBound) return look;
  std::size_t place = 0;
  for (std::size_t i = 0; i < line; ++i) place += !spec.lines[i].isBound;
  if (run || theme.isColourBlind) {
    look.strokes = strokesAt(place);
    if (!look.isMarked) look.marker = markerAt(place);
  } else if (wanted.isDashed) {
    look.strokes = {4, 3};
  }
  return look;
}

LineLook lookOfRun(int run, const Theme& theme) {
  LineLook look{.colour = theme.run(run)};
  if (!theme.isColourBlind) return look;
  look.marker = markerAt(static_cast<std::size_t>(run));
  look.isHollow = run / kMarkers % 2 == 1;
  look.isMarked = true;
  return look;
}

QPen penOf(const LineLook& look, double width) {
  QPen pen(look.colour, look.isBound ? kThinLine : width);
  pen.setJoinStyle(Qt::RoundJoin);
  pen.setCapStyle(look.isBound ? Qt::FlatCap : Qt::RoundCap);
  if (look.isBound) pen.setStyle(Qt::DotLine);
  if (!look.strokes.empty()) pen.setDashPattern(look.strokes);
  return pen;
}

void paintMarker(QPainter& painter, const QPointF& place, const LineLook& look) {
  const double x = place.x(), y = place.y(), r = look.isMarked ? kLargeRadius : kRadius;
  painter.save();
  painter.setRenderHint(QPainter::Antialiasing);
  painter.setPen(look.isHollow ? QPen(look.colour, kThinLine) : QPen(Qt::NoPen));
  painter.setBrush(look.isHollow ? Theme::current().panel : look.colour);
  switch (look.marker) {
    case Marker::Disc: painter.drawEllipse(place, r, r); break;
    case Marker::Square: painter.drawRect(QRectF(x - r, y - r, 2 * r, 2 * r)); break;
    case Marker::Triangle:
      painter.drawPolygon(QPolygonF{{x, y - 1.3 * r}, {x + 1.3 * r, y + r}, {x - 1.3 * r, y + r}});
      break;
    case Marker::Diamond:
      painter.drawPolygon(QPolygonF{{x, y - 1.5 * r}, {x + 1.5 * r, y}, {x, y + 1.5 * r}, {x - 1.5 * r, y}});
      break;
  }
  painter.restore();
}

void paintSample(QPainter& painter, const QRectF& box, const LineLook& look) {
  QPen pen = penOf(look, 2);
  pen.setCapStyle(Qt::FlatCap);
  painter.setPen(pen);
  const double middle = std::floor(box.center().y());
  painter.drawLine(QPointF(box.left(), middle), QPointF(box.right(), middle));
  if (look.isSparse || look.isMarked) paintMarker(painter, QPointF(box.center().x(), middle), look);
}

QPixmap sampleOfRun(int run) {
  const Theme& theme = Theme::current();
  if (!theme.isColourBlind) return stroke(theme.run(run));
  const qreal ratio = qGuiApp->devicePixelRatio();
  QPixmap picture((QSizeF(kSample) * ratio).toSize());
  picture.setDevicePixelRatio(ratio);
  picture.fill(Qt::transparent);
  QPainter painter(&picture);
  paintSample(painter, QRectF({0, 0}, QSizeF(kSample)), lookOfRun(run, theme));
  return picture;
}

int sampleWidth(const LineLook& look) { return look.strokes.empty() ? 9 : 18; }

}  // namespace batchscope::desktop
