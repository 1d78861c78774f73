// SPDX-License-Identifier: GPL-3.0-or-later
//
// The values beside the cross-hair: those of all lines of a chart at that step, or of all compared runs. Each
// is the newest value of its series at or before the step. A line without a value yet is left out.
#pragma once

#include <QRectF>
#include <QString>
#include <optional>
#include <vector>

#include "batchscope/common/charts.h"
#include "chart/line_look.h"
#include "scene/scene_builder.h"

class QPainter;

namespace batchscope::desktop {

struct ValuesBox {
  struct Row {
    LineLook look;
    QString name;
    std::vector<QString> values;  // one, or one for each column; empty: none
  };
  QString head;
  std::vector<QString> columns;  // names of the lines, where rows are runs
  std::vector<Row> rows;
};

struct ValuesQuery {
  XAxis axis = XAxis::Step;
  StepRef at;
  double x = 0;  // on the axis; of compared runs the step nearest to it counts
  std::vector<bool> isHidden = {};
  std::vector<SceneRun> runs = {};  // that are compared; empty: the model is alone
};

ValuesBox valuesAt(SeriesModel& model, const common::ChartSpec& spec, const ValuesQuery& query,
                   const Theme& theme);

// Returns a place beside the cross-hair at the pixel `x`, never over it: on the right where there is room,
// else on the left; at the height of `y`, within `bounds`.
QRectF placeOf(const QSizeF& size, const QRectF& bounds, double x, double y);
void paintValues(QPainter& painter, const ValuesBox& box, const QRectF& bounds, double x, double y,
                 const Theme& theme);

}  // namespace batchscope::desktop
