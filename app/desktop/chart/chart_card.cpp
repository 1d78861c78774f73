// SPDX-License-Identifier: GPL-3.0-or-later
#include "chart/chart_card.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QVBoxLayout>

#include "chart/legend_button.h"
#include "look/unit_label.h"

namespace batchscope::desktop {

ChartCard::ChartCard(const ChartSpec& spec, ViewState* state, QWidget* parent)
    : QFrame(parent), plot_(new PlotView(spec, state, this)) {
  setObjectName(QStringLiteral("card"));
  auto* title = new QLabel(spec.title, this);
  title->setObjectName(QStringLiteral("chartTitle"));
  auto* unit = new UnitLabel(spec.unit, this);

  auto* head = new QHBoxLayout;
  head->setContentsMargins(12, 0, 10, 0);
  head->setSpacing(7);
  head->addWidget(title);
  head->addWidget(unit, 1);
  for (std::size_t i = 0; i < spec.lines.size(); ++i) {
    auto* button = new LegendButton(spec.lines[i], this);
    connect(button, &LegendButton::toggled, plot_,
            [this, i](bool isShown) { plot_->setHidden(i, !isShown); });
    head->addWidget(button);
    legend_.push_back(button);
  }
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(1, 7, 1, 1);
  column->setSpacing(0);
  column->addLayout(head);
  column->addWidget(plot_, 1);
}

void ChartCard::setCompared(const std::vector<SceneRun>& runs, GroupBands bands) {
  for (std::size_t i = 0; i < legend_.size(); ++i) legend_[i]->setCompared(!runs.empty(), i);
  plot_->setCompared(runs, bands);
}

}  // namespace batchscope::desktop
