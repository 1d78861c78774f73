// SPDX-License-Identifier: Apache-2.0
//
// The content of a plot: the series of some runs, summarised by the store's tiers to as many columns as are
// drawn, so that a series of ten million samples costs no more than one of a thousand. A curve is a list of
// stretches, one a generation: no line is drawn across a restart.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "batchscope/common/ticks.h"
#include "batchscope/storage.h"

namespace batchscope::cli {

enum class PlotAxis { step, time, progress, epoch };

struct PlotPoint {
  double x = 0;
  double low = 0, high = 0;  // the least and the greatest value there; NaN where none is finite
};

struct PlotStretch {
  int generation = 0;
  std::vector<PlotPoint> points;  // ascending by x
};

// A place in the plot area, 0 to 1 from its lower left corner.
struct PlotPlace {
  double across = 0, height = 0;
};

struct PlotCurve {
  std::string label;  // "loss", with the run where there are several; as JSON has it
  std::string series;
  std::vector<PlotStretch> stretches;
  std::int64_t samples = 0;
  double last = 0;  // the newest value
};

struct PlotRestart {
  double x = 0;
  int generation = 0;
  int replicas = 0;
};

struct Plot {
  std::string title;
  std::string xLabel;        // with its unit; in English, as JSON has it
  std::string unit;          // of the values, where all curves share it
  bool logarithmic = false;  // then only values > 0 have a place
  std::vector<PlotCurve> curves;
  std::vector<PlotRestart> restarts;      // of a single run
  int firstReplicas = 0;                  // before them
  double x0 = 0, x1 = 0, y0 = 0, y1 = 0;  // the visible ranges, with room at the edges of y

  // Returns the place of x and of a value in the plot area; NaN for a value that has none.
  double across(double x) const { return (x - x0) / (x1 - x0); }
  double height(double value) const { return common::axisPlace(value, y0, y1, logarithmic); }

  // Returns the lines of a stretch: the lowest and the highest value of each point, in the order that
  // continues the line most closely. The line is broken where a value has no place.
  std::vector<std::vector<PlotPlace>> linesOf(const PlotStretch& stretch) const;

  // Returns about as many ticks of the values' axis.
  std::vector<double> valueTicks(int most) const;
};

struct PlotRequest {
  std::vector<storage::Run> runs;
  std::vector<std::string> series;
  PlotAxis axis = PlotAxis::step;
  bool logarithmic = false;
  std::int64_t from = 0, to = INT64_MAX;  // steps
  int columns = 0;                        // to be drawn
};

// Throws Error(not_found) if no run has one of the series, with the nearest name suggested, or if there is
// nothing to draw.
Plot loadPlot(storage::Catalogue& catalogue, const PlotRequest& request);

using common::roundTicks;

// Returns the numbers on an axis, with as many decimals as their distance needs.
std::vector<std::string> tickLabels(const std::vector<double>& ticks);

}  // namespace batchscope::cli
