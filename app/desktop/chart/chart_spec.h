// SPDX-License-Identifier: GPL-3.0-or-later
//
// The specification of a chart, as data: its lines, the series and unit behind each, and which axis they
// belong to. The dashboard is a list of these; a further chart is a further entry.
#pragma once

#include <QString>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "chart/x_axis.h"

namespace batchscope::desktop {

struct LineSpec {
  std::string series;
  QString label;
  int colour = 0;           // of Theme::series
  double factor = 1;        // to the chart's unit
  bool isSmoothed = false;  // noise: smoothing applies, and the line unsmoothed is its ghost or band
  bool isStepped = false;   // a value holds until the next one, such as a batch size
  bool isSparse = false;    // measured once in a while: a line with a marker at each value, and no holes
  bool isRight = false;     // on the right axis
  bool isEstimate = false;  // greyed where one replica without accumulation measures it from differences
  bool isDashed = false;
  bool isBound = false;       // dotted, a limit rather than a measurement
  bool isFromLowest = false;  // its axis begins at the lowest value instead of at the base
  bool isOff = false;         // hidden until the legend shows it
};

// When a chart is there without being asked for.
enum class Showing {
  Always,
  Recorded,  // where the run has one of its series
  Chosen,    // never
};

struct ChartSpec {
  std::string name = {};  // by which a layout knows it
  QString title;
  QString unit;
  std::vector<LineSpec> lines;
  std::string subject = {};  // the series that the title is of, where it is not that of the first line
  Showing showing = Showing::Always;
  double base = 0;                      // what the values stand on, where they are above it
  std::optional<double> bound = {};     // a constant dotted line
  std::optional<double> rightTop = {};  // fixed end of the right axis
  bool isRobust = false;                // single peaks do not stretch the y axis
  bool isLogByDefault = false;          // logarithmic where the values span decades, unless a person chooses
  std::optional<XAxis> axis = {};       // where it is not the shared one
  bool isLogLog = false;                // both axes are always logarithmic
  bool isOwn = false;                   // of a series that the program named

  bool hasRight() const;
  bool draws(const std::string& series) const;
  std::set<std::string> series() const;
};

// Returns the charts that the window knows of, in their default order; those of the program's own series are
// own_charts.h's.
std::vector<ChartSpec> dashboardCharts();
// Charts of the goodput explorer, too.
ChartSpec scalingRulesChart();
ChartSpec noiseChart();

}  // namespace batchscope::desktop
