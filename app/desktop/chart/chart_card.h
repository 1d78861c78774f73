// SPDX-License-Identifier: GPL-3.0-or-later
//
// One chart as a card: title, unit, legend, and the plot below.
#pragma once

#include <QFrame>
#include <vector>

#include "chart/chart_spec.h"
#include "chart/plot_view.h"

namespace batchscope::desktop {

class LegendButton;

class ChartCard : public QFrame {
  Q_OBJECT
 public:
  ChartCard(const ChartSpec& spec, ViewState* state, QWidget* parent = nullptr);

  PlotView* plot() const { return plot_; }
  void setCompared(const std::vector<SceneRun>& runs, GroupBands bands);

 private:
  PlotView* plot_;
  std::vector<LegendButton*> legend_;
};

}  // namespace batchscope::desktop
