// SPDX-License-Identifier: GPL-3.0-or-later
//
// What Qt Charts draws of a series of a figure: lines, dots, or an area, in the colours of the theme at hand.
#pragma once

#include <QAbstractSeries>
#include <QList>

#include "figure/figure_axes.h"

namespace batchscope::desktop {

bool isDots(const FigureSeries& series);

// Whoever adds them to a chart owns them.
QList<QAbstractSeries*> marksOf(const FigureSeries& series, const FigureAxes& axes);

}  // namespace batchscope::desktop
