// SPDX-License-Identifier: GPL-3.0-or-later
//
// The marks by which Qt Charts draws a series of a figure: lines, dots, or an area, in the colours of the
// theme at hand.
#pragma once

#include <QAbstractSeries>
#include <QList>

#include "figure/figure_axes.h"

namespace batchscope::desktop {

bool isDots(const FigureSeries& series);

// Returns new marks; a chart that they are added to owns them.
QList<QAbstractSeries*> marksOf(const FigureSeries& series, const FigureAxes& axes);

}  // namespace batchscope::desktop
