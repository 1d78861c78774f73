// SPDX-License-Identifier: Apache-2.0
/// \file
/// The charts of a run, as data, the same in window, command line and page: their lines, the series and unit
/// behind each, and which axis they belong to. A further chart is a further entry of runCharts(), and a face
/// lays it out and draws it.
#pragma once

#include <QString>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace batchscope::common {

/// A line of a chart.
struct LineSpec {
  std::string series;         ///< recorded, or derived_series.h's
  QString label;              ///< in the legend
  int colour = 0;             ///< by number: 0 the subject, 1 .. 3 others
  double factor = 1;          ///< to the chart's unit
  bool isSmoothed = false;    ///< noise: smoothing applies, and the line unsmoothed is its ghost or band
  bool isStepped = false;     ///< a value holds until the next one, such as a batch size
  bool isSparse = false;      ///< measured once in a while: a line with a marker at each value, and no holes
  bool isRight = false;       ///< on the right axis
  bool isEstimate = false;    ///< greyed where one replica without accumulation measures it from differences
  bool isDashed = false;      ///< told from another of its colour
  bool isBound = false;       ///< dotted, a limit rather than a measurement
  bool isFromLowest = false;  ///< its axis begins at the lowest value instead of at the base
  bool isOff = false;         ///< hidden until the legend shows it
};

/// When a chart is there without being asked for.
enum class Showing {
  Always,    ///< whatever is recorded
  Recorded,  ///< where the run has one of its series
  Chosen,    ///< never
};

/// A chart.
struct ChartSpec {
  std::string name = {};        ///< by which a layout knows it
  QString title;                ///< above the chart
  QString unit;                 ///< of the left axis
  std::vector<LineSpec> lines;  ///< in the order of the legend
  std::string subject = {};     ///< the series that the title is of, where it is not that of the first line
  Showing showing = Showing::Always;    ///< unasked
  double base = 0;                      ///< what the values stand on, where they are above it
  std::optional<double> bound = {};     ///< a constant dotted line
  std::optional<double> rightTop = {};  ///< fixed end of the right axis
  bool isRobust = false;                ///< single peaks do not stretch the y axis
  bool isLogByDefault = false;  ///< logarithmic where the values span decades, unless a person chooses
  bool isOverTime = false;      ///< over wall time, whatever axis is chosen
  bool isLogLog = false;        ///< both axes are always logarithmic
  bool isOwn = false;           ///< of a series that the program named

  bool hasRight() const;                        ///< whether a line is on the right axis
  bool draws(const std::string& series) const;  ///< whether a line is of that series
  std::set<std::string> series() const;         ///< what its lines need
};

/// The charts that every run may have, in their usual order.
std::vector<ChartSpec> runCharts();
ChartSpec scalingRulesChart();  ///< one of them, which the goodput explorer shows, too
ChartSpec noiseChart();         ///< the same

/// Charts of the recorded series that only this program has: neither those of every run nor those of its
/// devices. One for each, by name; series whose names say that they are parts of one quantity, such as loss_d
/// and loss_g, or real_score and fake_score, share a chart.
std::vector<ChartSpec> ownCharts(const std::vector<std::string>& recorded);

/// Charts of what each replica uses of the machine (protocol/device_series.h), with a line for each rank of
/// which anything is recorded.
std::vector<ChartSpec> deviceCharts(const std::vector<std::string>& recorded);

/// runCharts(), but for those that are only there where something is recorded and it is not, and behind them
/// ownCharts().
std::vector<ChartSpec> chartsOf(const std::vector<std::string>& recorded);

}  // namespace batchscope::common
