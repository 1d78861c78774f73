// SPDX-License-Identifier: GPL-3.0-or-later
#include "chart/series_painter.h"

#include <QCoreApplication>
#include <QPaintEngine>
#include <QPainter>
#include <cmath>
#include <utility>

#include "batchscope/common/number_text.h"
#include "chart/clip.h"
#include "chart/ribbon.h"

namespace batchscope::desktop {
namespace {

constexpr double kInk = 1.6, kHair = 1.0;
constexpr double kPale = 0.7;  // an interval, beside a band of noise
// A series with so few points shows each of them, and one that is measured once in a while with so few.
constexpr std::int64_t kDots = 40, kMostMarkers = 120;
constexpr double kMarkerGap = 72, kMarkerShift = 17;  // pixels between the markers of a run, and between runs

bool isSvg(const QPainter& painter) { return painter.paintEngine()->type() == QPaintEngine::SVG; }

void drawPolyline(QPainter& painter, const QPolygonF& line) {
  const QPen pen = painter.pen();
  if (line.size() == 1) {
    painter.drawPoint(line.first());
  } else if (pen.widthF() > kHair && pen.style() == Qt::SolidLine && pen.color().alpha() == 255 &&
             !isSvg(painter) && isDense(line)) {
    painter.setPen(Qt::NoPen);
    painter.setBrush(pen.color());
    for (const QPolygonF& piece : ribbon(line, pen.widthF())) painter.drawPolygon(piece);
    painter.setBrush(Qt::NoBrush);
    painter.setPen(pen);
  } else {
    painter.drawPolyline(line);
  }
}

void drawPolylines(QPainter& painter, const std::vector<QPolygonF>& lines, const QRectF& plot) {
  for (const QPolygonF& line : lines) {
    if (isSvg(painter)) {
      for (const QPolygonF& piece : clipped(line, plot)) drawPolyline(painter, piece);
    } else {
      drawPolyline(painter, line);
    }
  }
}

}  // namespace

void SeriesPainter::setScene(ChartScene scene, const common::ChartSpec& spec, const Theme& theme,
                             qreal devicePixelRatio) {
  scene_ = std::move(scene);
  spec_ = spec;
  theme_ = theme;
  const QRectF plot = scene_.left.plot;
  const QSize size = (plot.size() * devicePixelRatio).toSize();
  if (size.isEmpty()) {
    cache_ = {};
    return;
  }
  if (cache_.size() != size) cache_ = QPixmap(size);
  cache_.setDevicePixelRatio(devicePixelRatio);
  cache_.fill(Qt::transparent);
  QPainter painter(&cache_);
  painter.translate(-plot.topLeft());
  painter.setRenderHint(QPainter::Antialiasing);
  paintAll(painter);
}

void SeriesPainter::paint(QPainter& painter) const {
  // A vector file gets vectors.
  if (isSvg(painter)) {
    paintAll(painter);
  } else if (!cache_.isNull()) {
    painter.drawPixmap(scene_.left.plot.topLeft(), cache_);
  }
  paintBoundLabels(painter);
}

void SeriesPainter::paintAll(QPainter& painter) const {
  painter.setFont(interfaceFont(10));
  paintBands(painter);
  paintLines(painter);
  paintReplicas(painter);
}

LineLook SeriesPainter::lookOf(const SceneLine& line) const {
  return desktop::lookOf(spec_, line.spec, theme_,
                         line.colour >= 0 ? std::optional(line.colour) : std::nullopt);
}

QColor SeriesPainter::colourOf(const SceneLine& line, const ScenePiece& piece) const {
  const bool isCompared = line.colour >= 0;
  return (piece.isLost && !isCompared) || piece.isUnreliable ? theme_.faint : lookOf(line).colour;
}

void SeriesPainter::paintBands(QPainter& painter) const {
  const QRectF plot = scene_.left.plot;
  painter.save();
  for (const SceneBand& band : scene_.bands) {
    const double left = std::max(band.left, plot.left()), right = std::min(band.right, plot.right());
    if (band.isShaded) {
      painter.fillRect(QRectF(left, plot.top(), right - left, plot.height()),
                       withAlpha(theme_.accent, theme_.isDark ? 0.13 : 0.10));
    }
    if (band.isRestart && band.left >= plot.left()) {
      const double x = std::floor(band.left) + 0.5;
      QPen pen(theme_.accent, kHair, Qt::CustomDashLine);
      pen.setDashPattern({3, 3});
      painter.setPen(pen);
      painter.drawLine(QPointF(x, plot.top()), QPointF(x, plot.bottom()));
    }
  }
  painter.restore();
}

// Paints above the lines, on a ground of their own, so that a label is legible wherever a line runs.
void SeriesPainter::paintReplicas(QPainter& painter) const {
  const QRectF plot = scene_.left.plot;
  painter.save();
  painter.setFont(interfaceFont(10, QFont::Bold));
  for (const SceneBand& band : scene_.bands) {
    const double left = std::max(band.left, plot.left()), right = std::min(band.right, plot.right());
    const QString label = QStringLiteral("×%1").arg(band.replicas);
    const double width = painter.fontMetrics().horizontalAdvance(label);
    // The label of the last band may run beyond it: it is as young as its first steps.
    const bool isLast = &band == &scene_.bands.back();
    if (std::min(isLast ? plot.right() : right, plot.right()) - left >= width + 6) {
      painter.setPen(Qt::NoPen);
      painter.setBrush(withAlpha(theme_.panel, 0.75));
      painter.drawRoundedRect(QRectF(left + 2, plot.top() + 1, width + 4, 13), 3, 3);
      painter.setPen(theme_.accent);
      painter.drawText(QPointF(left + 4, plot.top() + 11), label);
    }
  }
  painter.restore();
}

void SeriesPainter::paintLines(QPainter& painter) const {
  const QRectF plot = scene_.left.plot;
  painter.save();
  painter.setClipRect(plot);
  painter.setBrush(Qt::NoBrush);
  if (spec_.bound && std::isfinite(scene_.left.py(*spec_.bound))) {
    painter.setPen(QPen(theme_.dim, kHair, Qt::DotLine));
    const double y = std::round(scene_.left.py(*spec_.bound)) + 0.5;
    painter.drawLine(QPointF(plot.left(), y), QPointF(plot.right(), y));
  }
  painter.setPen(Qt::NoPen);
  // A pale edge needs no blending, which takes ten times as long.
  painter.setRenderHint(QPainter::Antialiasing, false);
  for (const SceneLine& line : scene_.lines) {
    const auto fill = [&](const QColor& colour, const std::vector<QPolygonF>& bands, double share = 1) {
      painter.setBrush(withAlpha(colour, share * (theme_.isDark ? 0.24 : 0.18)));
      for (const QPolygonF& band : bands) painter.drawPolygon(isSvg(painter) ? band.intersected(plot) : band);
    };
    fill(lookOf(line).colour, line.interval, kPale);
    fill(lookOf(line).colour, line.bands);
    for (const ScenePiece& piece : line.pieces) fill(colourOf(line, piece), piece.bands);
  }
  painter.setRenderHint(QPainter::Antialiasing);
  painter.setBrush(Qt::NoBrush);
  for (const SceneLine& line : scene_.lines) {
    for (const ScenePiece& piece : line.pieces) {
      painter.setPen(QPen(withAlpha(colourOf(line, piece), theme_.isDark ? 0.24 : 0.22), kHair));
      drawPolylines(painter, piece.ghost, plot);
    }
  }
  for (const SceneLine& line : scene_.lines) {
    LineLook look = lookOf(line);
    bool hasMarks = look.isBound;
    for (const ScenePiece& piece : line.pieces) {
      const QColor colour = colourOf(line, piece);
      look.colour = piece.isLost ? withAlpha(colour, line.colour >= 0 ? 0.4 : 0.7) : colour;
      painter.setPen(penOf(look, kInk));
      const auto& ink = piece.ink.smooth.empty() ? piece.ink.raw : piece.ink.smooth;
      drawPolylines(painter, ink, plot);
      const bool hasMarkers = look.isSparse ? piece.ink.points <= kMostMarkers
                                            : piece.ink.samples <= kDots && piece.ink.smooth.empty();
      if (look.isBound || piece.isLost || !hasMarkers) continue;
      hasMarks = true;
      for (const QPolygonF& points : ink) {
        for (const QPointF& point : points)
          if (plot.contains(point)) paintMarker(painter, point, look);
      }
    }
    if (look.isMarked && !hasMarks) paintMarkers(painter, line);
  }
  painter.restore();
}

// Paints markers at intervals, which are shifted so that those of runs that lie close together are seen
// beside one another.
void SeriesPainter::paintMarkers(QPainter& painter, const SceneLine& line) const {
  const QRectF plot = scene_.left.plot;
  const double first = std::fmod((line.colour + 0.5) * kMarkerShift, kMarkerGap);
  for (double x = plot.left() + first; x < plot.right(); x += kMarkerGap)
    if (const auto y = line.yAt(std::nullopt, x); y && plot.contains(x, *y))
      paintMarker(painter, {x, *y}, lookOf(line));
}

// Paints in the margin that charts without a right axis have free.
void SeriesPainter::paintBoundLabels(QPainter& painter) const {
  if (spec_.hasRight()) return;
  painter.save();
  painter.setFont(interfaceFont(10));
  painter.setPen(theme_.dim);
  for (const SceneLine& line : scene_.lines) {
    const common::LineSpec& spec = spec_.lines[line.spec];
    if (!spec.isBound || line.run > 0 || line.pieces.empty() || line.pieces.back().ink.raw.empty()) continue;
    const QPointF end = line.pieces.back().ink.raw.back().last();
    painter.drawText(QPointF(scene_.left.plot.right() + 4, end.y() + 4), spec.label);
  }
  painter.restore();
}

void SeriesPainter::paintBadge(QPainter& painter) const {
  QStringList notes;
  if (scene_.points < scene_.samples) {
    notes << QCoreApplication::translate("chart", "%1 of %2 points")
                 .arg(common::formatCount(scene_.points), common::formatCount(scene_.samples));
  }
  if (scene_.isCut) notes << QCoreApplication::translate("chart", "peaks cut, O shows them");
  if (notes.isEmpty()) return;
  const QRectF plot = scene_.left.plot;
  const QString text = notes.join(QStringLiteral(" · "));
  painter.save();
  painter.setFont(interfaceFont(9));
  const QSizeF size(painter.fontMetrics().horizontalAdvance(text) + 8, painter.fontMetrics().height() + 2);
  const QRectF box(plot.right() - size.width() - 2, plot.bottom() - size.height() - 2, size.width(),
                   size.height());
  painter.setPen(Qt::NoPen);
  painter.setBrush(withAlpha(theme_.panel, 0.9));
  painter.drawRoundedRect(box, 3, 3);
  painter.setPen(theme_.dim);
  painter.drawText(box, Qt::AlignCenter, text);
  painter.restore();
}

void SeriesPainter::paintCursor(QPainter& painter, const StepRef& at, double px) const {
  const QRectF plot = scene_.left.plot;
  if (px < plot.left() || px > plot.right()) return;
  painter.save();
  painter.setRenderHint(QPainter::Antialiasing);
  painter.setPen(QPen(withAlpha(theme_.dim, 0.9), kHair));
  const double x = std::floor(px) + 0.5;
  painter.drawLine(QPointF(x, plot.top()), QPointF(x, plot.bottom()));
  painter.setBrush(theme_.panel);
  for (const SceneLine& line : scene_.lines) {
    const common::LineSpec& spec = spec_.lines[line.spec];
    const auto y =
        line.yAt(line.run == 0 && line.bands.empty() ? std::optional(at.generation) : std::nullopt, px);
    if (spec.isBound || !y || *y < plot.top() - 1 || *y > plot.bottom() + 1) continue;
    painter.setPen(QPen(lookOf(line).colour, kInk));
    painter.drawEllipse(QPointF(x, *y), 3, 3);
  }
  painter.restore();
}

}  // namespace batchscope::desktop
