// SPDX-License-Identifier: Apache-2.0
/// \file
/// The charts of a run as data, the same in window, command line and page: their lines, and the series, unit
/// and axis of each line. A new chart is a new entry of runCharts(); each face lays it out and draws it.
#pragma once

#include <QString>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace batchscope::common {

/// A line of a chart.
struct LineSpec {
  std::string series;         ///< recorded, or one of derived_series.h
  QString label;              ///< in the legend
  int colour = 0;             ///< by number: 0 the subject, 1 .. 3 others
  double factor = 1;          ///< from the recorded unit to the chart's
  bool isSmoothed = false;    ///< noisy: smoothing applies; the raw line is its ghost or band
  bool isStepped = false;     ///< a value holds until the next one, such as a batch size
  bool isSparse = false;      ///< measured once in a while: a line with a marker at each value, and no holes
  bool isRight = false;       ///< on the right axis
  bool isEstimate = false;    ///< greyed where one replica without accumulation measures it from differences
  bool isDashed = false;      ///< to tell it from another line of its colour
  bool isBound = false;       ///< dotted, a limit rather than a measurement
  bool isFromLowest = false;  ///< its axis begins at the lowest value instead of at the base
  bool isOff = false;         ///< hidden until the legend shows it
  std::string low = {};       ///< the series of a band's lower edge, around this line; empty: no band
  std::string high = {};      ///< of its upper edge
};

/// When a chart is shown without being chosen.
enum class Showing {
  Always,    ///< whatever is recorded
  Recorded,  ///< where the run has one of its series
  Chosen,    ///< never
};

/// A chart.
struct ChartSpec {
  std::string name = {};                ///< identifies it in a layout
  QString title;                        ///< above the chart
  QString unit;                         ///< of the left axis
  std::vector<LineSpec> lines;          ///< in the order of the legend
  std::string subject = {};             ///< the series that the title names, if not that of the first line
  Showing showing = Showing::Always;    ///< when it is shown without being chosen
  double base = 0;                      ///< lower end of the axis, where all values are above it
  std::optional<double> bound = {};     ///< a constant dotted line
  std::optional<double> rightTop = {};  ///< fixed end of the right axis
  bool isRobust = false;                ///< single peaks do not stretch the y axis
  bool isLogByDefault = false;  ///< logarithmic where the values span decades, unless a person chooses
  bool isOverTime = false;      ///< over wall time, whatever axis is chosen
  bool isLogLog = false;        ///< both axes are always logarithmic
  bool isOwn = false;           ///< draws a series that the program named

  bool hasRight() const;                        ///< whether a line is on the right axis
  bool draws(const std::string& series) const;  ///< whether a line is of that series
  std::set<std::string> series() const;         ///< the series that its lines need
};

/// Returns the charts that every run may have, in their usual order.
std::vector<ChartSpec> runCharts();
ChartSpec scalingRulesChart();  ///< one of them, also in the goodput explorer
ChartSpec noiseChart();         ///< the same

/// Returns charts of the series that only this program records: neither those of every run nor those of its
/// devices. Each series has a chart, by name. Series that are parts of one quantity by their names, such as
/// loss_d and loss_g, or real_score and fake_score, share a chart.
std::vector<ChartSpec> ownCharts(const std::vector<std::string>& recorded);

/// Returns charts of each replica's use of the machine (protocol/device_series.h), with a line for each rank
/// that has recorded anything.
std::vector<ChartSpec> deviceCharts(const std::vector<std::string>& recorded);

/// Returns runCharts() without the charts of Showing::Recorded that have nothing recorded, then ownCharts().
/// The chart of the noise scale has the critical batch sizes where some were found.
std::vector<ChartSpec> chartsOf(const std::vector<std::string>& recorded);

}  // namespace batchscope::common
