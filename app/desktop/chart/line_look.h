// SPDX-License-Identifier: GPL-3.0-or-later
//
// The look of a chart's line, wherever it is drawn or named: its colour, its strokes and its marker. Usually
// the colour alone tells the lines of a chart apart. While runs are compared, colours name the runs and
// strokes the series. In the palette for the colour-blind every line has strokes and a marker of its own.
// There each compared run has a marker, which its lines carry at intervals.
#pragma once

#include <QColor>
#include <QList>
#include <QPen>
#include <QPixmap>
#include <QPointF>
#include <optional>

#include "batchscope/common/charts.h"
#include "look/theme.h"

class QPainter;
class QRectF;

namespace batchscope::desktop {

enum class Marker { Disc, Square, Triangle, Diamond };

struct LineLook {
  QColor colour = {};
  QList<qreal> strokes = {};  // a dash pattern of QPen; empty: solid
  Marker marker = Marker::Disc;
  bool isHollow = false;  // the marker
  bool isMarked = false;  // has its marker at intervals
  bool isBound = false;   // dotted and thin
  bool isSparse = false;  // has its marker at every value
};

// Returns the look of a run among others, by its slot of Theme::runs, apart from strokes.
LineLook lookOfRun(int run, const Theme& theme);
// `run`: the slot of the run among those compared; none: nothing is compared.
LineLook lookOf(const common::ChartSpec& spec, std::size_t line, const Theme& theme,
                std::optional<int> run = {});

QPen penOf(const LineLook& look, double width);
void paintMarker(QPainter& painter, const QPointF& place, const LineLook& look);
// A short line across the box, with its marker where it has one.
void paintSample(QPainter& painter, const QRectF& box, const LineLook& look);
// The same of a run, in a list of runs.
QPixmap sampleOfRun(int run);
// The width of a sample that tells the strokes apart.
int sampleWidth(const LineLook& look);

}  // namespace batchscope::desktop
