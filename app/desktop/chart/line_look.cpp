// SPDX-License-Identifier: GPL-3.0-or-later
#include "chart/line_look.h"

#include <QPainter>
#include <cmath>
#include <iterator>

namespace batchscope::desktop {
namespace {

constexpr double kHair = 1;
constexpr double kRadius = 2.2;  // of a marker

// By the place of a line among the lines that are no bounds.
QList<qreal> strokesAt(std::size_t place) {
  static const QList<qreal> patterns[] = {
      {}, {4, 2.5}, {0.5, 2.5}, {5, 2, 0.5, 2}, {8, 2.5}, {5, 2, 0.5, 2, 0.5, 2}};
  return patterns[place % std::size(patterns)];
}

Marker markerAt(std::size_t place) { return static_cast<Marker>(place % 4); }

}  // namespace

LineLook lookOf(const ChartSpec& spec, std::size_t line, const Theme& theme, std::optional<int> run) {
  const LineSpec& wanted = spec.lines[line];
  LineLook look{.isBound = wanted.isBound, .isSparse = wanted.isSparse};
  look.colour = run ? theme.run(*run)
                : wanted.isBound
                    ? theme.dim
                    : theme.series[static_cast<std::size_t>(wanted.colour) % theme.series.size()];
  if (wanted.isBound) return look;
  std::size_t place = 0;
  for (std::size_t i = 0; i < line; ++i) place += !spec.lines[i].isBound;
  if (run || theme.isColourBlind) {
    look.strokes = strokesAt(place);
    look.marker = markerAt(place);
  } else if (wanted.isDashed) {
    look.strokes = {4, 3};
  }
  return look;
}

QPen penOf(const LineLook& look, double width) {
  QPen pen(look.colour, look.isBound ? kHair : width);
  pen.setJoinStyle(Qt::RoundJoin);
  pen.setCapStyle(look.isBound ? Qt::FlatCap : Qt::RoundCap);
  if (look.isBound) pen.setStyle(Qt::DotLine);
  if (!look.strokes.empty()) pen.setDashPattern(look.strokes);
  return pen;
}

void paintMarker(QPainter& painter, const QPointF& place, Marker marker, const QColor& colour) {
  const double x = place.x(), y = place.y(), r = kRadius;
  painter.save();
  painter.setRenderHint(QPainter::Antialiasing);
  painter.setPen(Qt::NoPen);
  painter.setBrush(colour);
  switch (marker) {
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
  if (look.isSparse) paintMarker(painter, QPointF(box.center().x(), middle), look.marker, look.colour);
}

int sampleWidth(const LineLook& look) { return look.strokes.empty() ? 9 : 18; }

}  // namespace batchscope::desktop
