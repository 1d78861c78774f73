// SPDX-License-Identifier: GPL-3.0-or-later
#include "chart/dashboard.h"

#include <QGridLayout>

namespace batchscope::desktop {

Dashboard::Dashboard(ViewState* state, QWidget* parent) : QWidget(parent) {
  auto* grid = new QGridLayout(this);
  grid->setContentsMargins(0, 0, 0, 0);
  grid->setSpacing(10);
  for (const ChartSpec& spec : dashboardCharts()) {
    const int place = static_cast<int>(cards_.size());
    cards_.push_back(new ChartCard(spec, state, this));
    grid->addWidget(cards_.back(), place / 2, place % 2);
    grid->setRowStretch(place / 2, 1);
    series_.merge(spec.series());
  }
  grid->setColumnStretch(0, 1);
  grid->setColumnStretch(1, 1);
}

void Dashboard::setModel(SeriesModel* model) {
  if (model != nullptr) model->want(series_);
  for (ChartCard* card : cards_) card->plot()->setModel(model);
}

void Dashboard::setCompared(const std::vector<SceneRun>& runs, GroupBands bands) {
  for (ChartCard* card : cards_) card->setCompared(runs, bands);
}

void Dashboard::refresh() {
  for (ChartCard* card : cards_) card->plot()->refresh();
}

}  // namespace batchscope::desktop
