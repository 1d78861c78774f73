// SPDX-License-Identifier: GPL-3.0-or-later
//
// The charts of one run, two columns of cards.
#pragma once

#include <QWidget>
#include <vector>

#include "chart/chart_card.h"
#include "chart/view_state.h"

namespace batchscope::desktop {

class Dashboard : public QWidget {
  Q_OBJECT
 public:
  explicit Dashboard(ViewState* state, QWidget* parent = nullptr);

  void setModel(SeriesModel* model);
  // Runs that are compared, the open one first; none: it is alone.
  void setCompared(const std::vector<SceneRun>& runs, GroupBands bands);
  // New samples are in the model.
  void refresh();
  const std::vector<ChartCard*>& cards() const { return cards_; }
  const std::set<std::string>& series() const { return series_; }

 private:
  std::vector<ChartCard*> cards_;
  std::set<std::string> series_;
};

}  // namespace batchscope::desktop
