// SPDX-License-Identifier: GPL-3.0-or-later
//
// Computes the scene of a chart from the series and the view, without painting anything.
#pragma once

#include <QString>
#include <optional>
#include <string>
#include <vector>

#include "batchscope/common/charts.h"
#include "scene/chart_scene.h"
#include "scene/group_bands.h"
#include "series/series_model.h"

namespace batchscope::desktop {

// A run among those that are compared.
struct SceneRun {
  SeriesModel* model = nullptr;
  int colour = 0;  // of Theme::runs
  std::string group;
  QString name;
};

struct SceneOptions {
  SeriesModel::Extent range = {};
  XAxis axis = XAxis::Step;
  double smoothing = 0;
  std::optional<bool> isLog = false;  // y; none: as the chart is by default
  bool isLogX = false;
  bool isZoomed = false;
  bool isWhole = false;             // every peak is to fit, also where the chart is robust
  std::vector<bool> isHidden = {};  // by line
  std::vector<SceneRun> runs = {};  // that are compared, the open one first; empty: it is alone
  GroupBands bands = GroupBands::None;
};

ChartScene buildScene(SeriesModel& model, const common::ChartSpec& spec, const QRectF& plot,
                      const SceneOptions& options);

}  // namespace batchscope::desktop
