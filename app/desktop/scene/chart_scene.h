// SPDX-License-Identifier: GPL-3.0-or-later
//
// A scene is one chart as it is about to be drawn, in pixels of its plot area: the ranges of its axes, every
// line in pieces that never cross a restart, and a band for each generation. It shows one run, or several
// that are compared. Then the first is the open run, and the bands are its generations.
#pragma once

#include <QPolygonF>
#include <cstdint>
#include <optional>
#include <vector>

#include "scene/decimate.h"

namespace batchscope::desktop {

struct ScenePiece {
  int generation = 0;
  bool isLost = false;        // steps that a restored checkpoint undid
  bool isUnreliable = false;  // a gain without a second gradient to measure it by
  Polylines ink;
  std::vector<QPolygonF> ghost;  // the raw line behind a smoothed one
  std::vector<QPolygonF> bands;  // around the median of noise
};

struct SceneLine {
  std::size_t spec = 0;  // index into ChartSpec::lines
  std::vector<ScenePiece> pieces;
  std::size_t run = 0;              // of those compared
  int colour = -1;                  // of Theme::runs; negative: nothing is compared, the line has its own
  std::vector<QPolygonF> bands;     // around the median of a group
  std::vector<QPolygonF> interval;  // in which the true value lies

  // Returns the height of the line at the pixel x, in this generation or in any.
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
  bool hasBands = false;    // noise is drawn as medians and bands
  bool isEstimate = false;  // of these, some from summaries of steps
};

}  // namespace batchscope::desktop
