// SPDX-License-Identifier: GPL-3.0-or-later
//
// Decimation of samples to pixels. Every pixel column gets at most two points of the raw line, the lowest and
// the highest value that falls into it, in the order that continues the line most closely; so no spike is
// lost and none is drawn twice. Beside it the smoothed line: an exponential moving average over columns,
// debiased (divided by the sum of its weights), that skips what is not finite. NaN breaks a line, and so does
// a hole: where there are no values, a line would invent them.
#pragma once

#include <QPolygonF>
#include <QRectF>
#include <optional>
#include <span>
#include <vector>

#include "batchscope/common/step_map.h"
#include "batchscope/common/ticks.h"
#include "series/track.h"

namespace batchscope::desktop {

// Maps values into a plot area. On a logarithmic axis a value that is not > 0 is at NaN.
struct Projection {
  QRectF plot;
  double x0 = 0, x1 = 1;
  double y0 = 0, y1 = 1;
  bool log = false;  // y
  bool logX = false;

  double px(double x) const { return plot.left() + common::axisPlace(x, x0, x1, logX) * plot.width(); }
  double py(double y) const { return plot.bottom() - common::axisPlace(y, y0, y1, log) * plot.height(); }
  double xAt(double px) const;
};

// Maps steps to pixel columns of a plot: the steps at which the columns begin, looked up once for all lines
// of a chart.
class ColumnSteps {
 public:
  ColumnSteps(const common::StepMap& map, const Projection& projection);

  struct Place {
    std::int64_t index = 0;  // of the column, in pixels
    double end = 0;          // the step at which the next one begins, if that is known
  };
  std::optional<Place> place(double step) const;
  double px(double step) const { return projection_.px(map_.at(step)); }

 private:
  common::StepMap map_;
  Projection projection_;  // only of x
  std::int64_t first_;
  std::vector<double> steps_;
};

// The samples that fall into one column. A mean of NaN breaks the line.
struct Column {
  std::int64_t index = 0;
  std::int64_t buckets = 0, samples = 0;
  double x = 0;  // where its only bucket is, else its middle
  double low = 0, high = 0, mean = 0;
  double first = 0, last = 0;  // steps
  bool isAfterHole = false;
};

// `factor` multiplies the values (seconds to milliseconds).
std::vector<Column> columnsOf(std::span<const Bucket> buckets, const ColumnSteps& steps, double factor);

// Marks the columns before which samples are missing: where the distance from the last column is far beyond
// the usual one, in pixels (an evaluation leaves a hole in time and none in steps); on a logarithmic axis,
// which spreads its first samples wide, in steps.
void markHoles(std::span<Column> columns, bool isLogX);

// The way in which the columns of a line are joined.
enum class Join {
  Straight,
  Steps,  // a value holds until the next one
};

struct Polylines {
  std::vector<QPolygonF> raw;
  std::vector<QPolygonF> smooth;
  std::int64_t samples = 0;  // seen
  std::int64_t points = 0;   // of the raw line, drawn
};

// `smoothing` 0 <= s < 1: the average's time constant is 2 s / (1 - s) pixel columns, so that a line looks
// equally smooth at every zoom. 0: there is no smoothed line.
Polylines decimate(std::span<const Column> columns, const Projection& projection, double smoothing,
                   Join join = Join::Straight);

}  // namespace batchscope::desktop
