// SPDX-License-Identifier: GPL-3.0-or-later
#include "figure/figure_marks.h"

#include <QAreaSeries>
#include <QLineSeries>
#include <QPen>
#include <QScatterSeries>
#include <cmath>

namespace batchscope::desktop {
namespace {

constexpr double kLeastStrength = 0.2;

QAbstractSeries* areaOf(const FigureSeries& series, const FigureAxes& axes) {
  auto *upper = new QLineSeries, *lower = new QLineSeries;
  const QList<QPointF> high = axes.placesOf(series);
  for (qsizetype i = 0; i < high.size(); ++i)
    lower->append(high[i].x(), placeOn(axes.upOf(series), series.lower[static_cast<std::size_t>(i)]));
  upper->replace(high);
  auto* area = new QAreaSeries(upper, lower);
  upper->setParent(area);
  lower->setParent(area);
  area->setPen(Qt::NoPen);
  area->setBrush(colourOf(series.ink, Theme::current()));
  area->setName(series.name);
  return area;
}

// A line for every stretch without a gap, of which the first is in the legend; then the dots.
QList<QAbstractSeries*> strokesOf(const FigureSeries& series, const FigureAxes& axes) {
  QList<QAbstractSeries*> all;
  using Mark = FigureSeries::Mark;
  const Theme& theme = Theme::current();
  const QColor colour = colourOf(series.ink, theme);
  const bool hasDots = isDots(series), hasBoth = series.mark == Mark::DottedLine;
  const QList<QPointF> places = axes.placesOf(series);
  const auto isThere = [&](qsizetype i) {
    return std::isfinite(places[i].x()) && std::isfinite(places[i].y());
  };
  const auto add = [&](QAbstractSeries* made) {
    if (all.isEmpty()) made->setName(series.name);
    all << made;
  };
  if (!hasDots) {
    for (qsizetype first = 0, last = 0; first < places.size(); first = last + 1) {
      for (last = first; last < places.size() && isThere(last);) ++last;
      if (last == first) continue;
      auto* line = new QLineSeries;
      QPen pen(colour, hasBoth ? 1.6 : series.size, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin);
      if (series.mark == Mark::Dashed) pen.setDashPattern({3, 3});
      if (series.mark == Mark::Dotted) pen.setDashPattern({1, 2});
      if (series.mark == Mark::Dashed || series.mark == Mark::Dotted) pen.setCapStyle(Qt::FlatCap);
      line->setPen(pen);
      line->replace(places.mid(first, last - first));
      add(line);
    }
  }
  if (!hasDots && !hasBoth) return all;
  auto* dots = new QScatterSeries;
  QList<QPointF> kept;
  QHash<int, QHash<QXYSeries::PointConfiguration, QVariant>> colours;
  for (qsizetype i = 0; i < places.size(); ++i) {
    if (!isThere(i)) continue;
    if (!series.strengths.empty()) {
      const double strength = series.strengths[static_cast<std::size_t>(i)];
      colours[static_cast<int>(kept.size())][QXYSeries::PointConfiguration::Color] =
          mixed(theme.panel, colour, kLeastStrength + (1 - kLeastStrength) * strength);
    }
    kept << places[i];
  }
  dots->replace(kept);
  dots->setMarkerSize(hasBoth ? 6 : series.size);
  const bool isRing = series.mark == Mark::Rings;
  dots->setColor(isRing ? withAlpha(colour, 0.25) : colour);
  dots->setBorderColor(isRing ? colour : QColor(Qt::transparent));
  dots->setPen(isRing ? QPen(colour, 1.6) : QPen(Qt::NoPen));
  dots->setPointsConfiguration(colours);
  add(dots);
  return all;
}

}  // namespace

bool isDots(const FigureSeries& series) {
  return series.mark == FigureSeries::Mark::Dots || series.mark == FigureSeries::Mark::Rings;
}

QList<QAbstractSeries*> marksOf(const FigureSeries& series, const FigureAxes& axes) {
  if (series.mark == FigureSeries::Mark::Area) return {areaOf(series, axes)};
  return strokesOf(series, axes);
}

}  // namespace batchscope::desktop
