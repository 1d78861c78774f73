// SPDX-License-Identifier: GPL-3.0-or-later
//
// One chart as a card: title, unit, legend, and the plot below.
#pragma once

#include <QFrame>

#include "chart_spec.h"
#include "plot_view.h"

namespace batchscope::desktop {

class ChartCard : public QFrame {
  Q_OBJECT
 public:
  ChartCard(const ChartSpec& spec, ViewState* state, QWidget* parent = nullptr);

  PlotView* plot() const { return plot_; }

 private:
  PlotView* plot_;
};

}  // namespace batchscope::desktop
