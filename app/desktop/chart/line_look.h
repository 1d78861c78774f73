// SPDX-License-Identifier: GPL-3.0-or-later
//
// How a line of a chart looks, wherever it is drawn or named: its colour, its strokes and its marker. Usually
// the colour alone tells the lines of a chart apart. While runs are compared, colours name the runs and
// strokes the series; in the palette for the colour-blind every line has strokes and a marker of its own.
#pragma once

#include <QColor>
#include <QList>
#include <QPen>
#include <QPointF>
#include <optional>

#include "chart/chart_spec.h"
#include "look/theme.h"

class QPainter;
class QRectF;

namespace batchscope::desktop {

enum class Marker { Disc, Square, Triangle, Diamond };

struct LineLook {
  QColor colour = {};
  QList<qreal> strokes = {};  // a dash pattern of QPen; empty: solid
  Marker marker = Marker::Disc;
  bool isBound = false;   // dotted and thin
  bool isSparse = false;  // has its marker at every value
};

// `run`: the colour of the run among those compared; none: nothing is compared.
LineLook lookOf(const ChartSpec& spec, std::size_t line, const Theme& theme, std::optional<int> run = {});

QPen penOf(const LineLook& look, double width);
void paintMarker(QPainter& painter, const QPointF& place, Marker marker, const QColor& colour);
// A short line across the box, with its marker where it has one.
void paintSample(QPainter& painter, const QRectF& box, const LineLook& look);
// The width of a sample that tells the strokes apart.
int sampleWidth(const LineLook& look);

}  // namespace batchscope::desktop
