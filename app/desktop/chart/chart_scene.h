// SPDX-License-Identifier: GPL-3.0-or-later
//
// What one chart is about to draw, in pixels of its plot area, computed without painting anything: the ranges
// of its axes, every line in pieces that never cross a restart, the bands of the generations. Of one run, or
// of several that are compared; then the first is the open one, whose generations the bands are.
#pragma once

#include <QString>
#include <optional>
#include <vector>

#include "chart/chart_spec.h"
#include "chart/decimate.h"
#include "chart/group_bands.h"
#include "chart/series_model.h"

namespace batchscope::desktop {

struct ScenePiece {
  int generation = 0;
  bool isLost = false;        // steps that a restored checkpoint undid
  bool isUnreliable = false;  // a gain without a second gradient to measure it by
  Polylines ink;
  std::vector<QPolygonF> ghost;  // the raw line behind a smoothed one
};

struct SceneLine {
  std::size_t spec = 0;  // index into ChartSpec::lines
  std::vector<ScenePiece> pieces;
  std::size_t run = 0;           // of those compared
  int colour = -1;               // of Theme::runs; negative: nothing is compared, the line has its own
  std::vector<QPolygonF> bands;  // around the median of a group

  // Where the line is drawn in this generation, or in any, at the pixel x.
  std::optional<double> yAt(std::optional<int> generation, double x) const;
};

struct SceneBand {
  double left = 0, right = 0;
  int generation = 0;
  int replicas = 0;
  bool isShaded = false;
  bool isRestart = false;  // begins with a restart
};

struct ChartScene {
  Projection left, right;
  std::vector<SceneLine> lines;
  std::vector<SceneBand> bands;
  std::int64_t samples = 0, points = 0;  // in view; drawn
  bool isCut = false;                    // peaks lie beyond the left axis
  bool isEmpty = true;
};

// A run among those that are compared.
struct SceneRun {
  SeriesModel* model = nullptr;
  int colour = 0;  // of Theme::runs
  std::string group;
};

struct SceneOptions {
  SeriesModel::Extent range;
  XAxis axis = XAxis::Step;
  double smoothing = 0;
  bool isLog = false;  // y
  bool isLogX = false;
  bool isZoomed = false;
  bool isWhole = false;        // every peak is to fit, also where the chart is robust
  std::vector<bool> isHidden;  // by line
  std::vector<SceneRun> runs;  // that are compared, the open one first; empty: it is alone
  GroupBands bands = GroupBands::None;
};

ChartScene buildScene(SeriesModel& model, const ChartSpec& spec, const QRectF& plot,
                      const SceneOptions& options);

}  // namespace batchscope::desktop
