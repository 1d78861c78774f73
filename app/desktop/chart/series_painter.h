// SPDX-License-Identifier: GPL-3.0-or-later
//
// Draws a ChartScene. Everything that only changes with the data or the zoom goes into one cached pixmap; the
// cross-hair with its rings is drawn over it, so that moving the mouse repaints no line.
#pragma once

#include <QPixmap>
#include <optional>

#include "batchscope/common/charts.h"
#include "chart/line_look.h"
#include "look/theme.h"
#include "scene/chart_scene.h"
#include "series/series_model.h"

class QPainter;

namespace batchscope::desktop {

class SeriesPainter {
 public:
  void setScene(ChartScene scene, const common::ChartSpec& spec, const Theme& theme, qreal devicePixelRatio);
  const ChartScene& scene() const { return scene_; }

  void paint(QPainter& painter) const;
  void paintCursor(QPainter& painter, const StepRef& at, double px) const;
  // Paints "690 of 7,200 points" where not every sample has a point of its own, and whether peaks are cut.
  void paintBadge(QPainter& painter) const;

 private:
  void paintAll(QPainter& painter) const;
  void paintBands(QPainter& painter) const;
  void paintLines(QPainter& painter) const;
  void paintMarkers(QPainter& painter, const SceneLine& line) const;
  void paintReplicas(QPainter& painter) const;
  void paintBoundLabels(QPainter& painter) const;
  LineLook lookOf(const SceneLine& line) const;
  QColor colourOf(const SceneLine& line, const ScenePiece& piece) const;

  ChartScene scene_;
  common::ChartSpec spec_;
  Theme theme_;
  QPixmap cache_;
};

}  // namespace batchscope::desktop
