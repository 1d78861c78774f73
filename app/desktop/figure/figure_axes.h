// SPDX-License-Identifier: GPL-3.0-or-later
//
// The axes of a figure with the ends that it did not name: around all that is drawn, a linear axis from zero
// where that is near, a logarithmic one a little beyond.
#pragma once

#include <QList>
#include <QPointF>

#include "figure/figure_data.h"

namespace batchscope::desktop {

inline constexpr int kTicksUp = 4;  // of an axis at a side

struct FigureAxes {
  FigureAxis bottom = {}, left = {}, right = {};  // each with its low and high

  // Returns the places of a series' points; a gap is NaN.
  QList<QPointF> placesOf(const FigureSeries& series) const;
  const FigureAxis& upOf(const FigureSeries& series) const { return series.isRight ? right : left; }
};

FigureAxes axesOf(const FigureData& data);

// Returns the place of a value for Qt Charts. Its axes are linear, so logarithms are taken here.
double placeOn(const FigureAxis& axis, double value);

// Returns at most about `most` ticks; the axis has its ends.
std::vector<Tick> ticksOf(const FigureAxis& axis, int most);

}  // namespace batchscope::desktop
