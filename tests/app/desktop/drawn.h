// SPDX-License-Identifier: GPL-3.0-or-later
//
// Whether charts show what they should: for tests that look at what is drawn, which happens with a later
// event.
#pragma once

#include <algorithm>

#include "chart/chart_card.h"
#include "chart/dashboard.h"
#include "chart/plot_view.h"
#include "chart/view_state.h"
#include "session/run_session.h"
#include "window/main_window.h"

namespace batchscope::desktop::test {

// Laid out and drawn as they are asked to be now.
inline bool isDrawn(const MainWindow& window) {
  SeriesModel* series = window.session()->series();
  if (series == nullptr) return false;
  const ViewState& view = *window.view();
  const auto& cards = window.dashboard()->cards();
  return std::all_of(cards.begin(), cards.end(), [&](const ChartCard* card) {
    const PlotView& plot = *card->plot();
    const ChartScene& scene = plot.painter().scene();
    const XAxis axis = plot.spec().axis.value_or(view.axis());
    return !scene.isEmpty && scene.left.plot == plot.plotArea() && scene.left.logX == view.logX() &&
           scene.left.x1 == view.range(*series, axis).high;
  });
}

}  // namespace batchscope::desktop::test
