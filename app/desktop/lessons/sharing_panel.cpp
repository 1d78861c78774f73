// SPDX-License-Identifier: GPL-3.0-or-later
#include "lessons/sharing_panel.h"

#include <QFrame>
#include <QGridLayout>
#include <QPushButton>
#include <QSlider>
#include <utility>

#include "batchscope/common/number_text.h"
#include "lessons/sharing_plot.h"
#include "look/box.h"
#include "look/quiet_wheel.h"
#include "look/theme.h"

namespace batchscope::desktop {
SharingPanel::SharingPanel(QWidget* parent)
    : QWidget(parent), plot_(new SharingPlot(this)), slider_(new QSlider(Qt::Horizontal, this)) {
  vbox(this, {}, 10, {{buildSplit(), 1}, buildTable()});
  connect(slider_, &QSlider::valueChanged, this, &SharingPanel::showSplit);
  connect(plot_, &SharingPlot::splitDragged, slider_, &QSlider::setValue);
}

QWidget* SharingPanel::buildSplit() {
  QFrame* frame = card(this);
  title_ = named("chartTitle", frame);
  for (QLabel*& count : counts_) count = named("dim", frame);
  slider_->setAccessibleName(tr("Devices of the first run"));
  slider_->setPageStep(1);
  slider_->setMinimumHeight(22);
  ignoreWheel(slider_);
  QLayout* head =
      hbox(nullptr, {12, 0, 12, 0}, 7, {title_, named("chartUnit", frame, tr("goodput, samples/s")), rest()});
  QLayout* split = hbox(nullptr, {12, 4, 12, 0}, 12, {counts_[0], {slider_, 1}, counts_[1]});
  vbox(frame, {1, 9, 1, 4}, 2, {head, split, {plot_, 1}});
  return frame;
}

QWidget* SharingPanel::buildTable() {
  QFrame* frame = card(this);
  auto* grid = new QGridLayout;
  grid->setHorizontalSpacing(24);
  grid->setVerticalSpacing(4);
  const QString heads[] = {tr("Devices"), tr("Goodput, samples/s"), tr("Against half of the devices")};
  for (int column = 0; column < 3; ++column)
    grid->addWidget(named("dim", frame, heads[column]), 0, column + 1, Qt::AlignRight);
  for (std::size_t row = 0; row < values_.size(); ++row) {
    names_[row] = new QLabel(frame);
    grid->addWidget(names_[row], static_cast<int>(row) + 1, 0);
    for (std::size_t column = 0; column < 3; ++column) {
      values_[row][column] = named(row == 2 ? "chartTitle" : "", frame);
      grid->addWidget(values_[row][column], static_cast<int>(row) + 1, static_cast<int>(column) + 1,
                      Qt::AlignRight);
    }
  }
  names_[2]->setObjectName(QStringLiteral("chartTitle"));
  names_[2]->setText(tr("Both"));
  values_[2][2]->setToolTip(tr("The mean of both"));
  grid->setColumnStretch(0, 1);

  QHBoxLayout* row = hbox(nullptr, {}, 6, {named("dim", frame, tr("Split as"))});
  const std::pair<QString, QString> choices[] = {
      {tr("Even"), tr("Each has half of the devices")},
      {tr("fair"), tr("As the pool would with the policy fair")},
      {tr("fast"), tr("As the pool would with the policy fast: short work first")},
      {tr("Largest sum"), tr("The largest sum of goodput, however it is shared out")}};
  for (std::size_t i = 0; i < choices_.size(); ++i) {
    choices_[i] = new QPushButton(choices[i].first, frame);
    choices_[i]->setToolTip(choices[i].second);
    connect(choices_[i], &QPushButton::clicked, this, [this, i] { slider_->setValue(splits_[i]); });
    row->addWidget(choices_[i]);
  }
  row->addStretch(1);
  vbox(frame, {14, 10, 14, 12}, 10, {grid, row});
  return frame;
}

void SharingPanel::setSharing(Sharing sharing) {
  sharing_ = std::move(sharing);
  const int devices = sharing_->devices();
  splits_ = {devices / 2, sharing_->decided(policy::Objective::fair),
             sharing_->decided(policy::Objective::fast), sharing_->mostInSum()};
  title_->setText(tr("%1 devices").arg(devices));
  for (std::size_t which = 0; which < 2; ++which) {
    names_[which]->setText(sharing_->run(which).name);
    names_[which]->setMaximumWidth(220);
  }
  plot_->setSharing(sharing_,
                    {{splits_[1], tr("fair")}, {splits_[2], tr("fast")}, {splits_[3], tr("largest sum")}});
  slider_->setRange(0, devices);
  slider_->setValue(devices / 2);
  showSplit();
}

void SharingPanel::showSplit() {
  if (!sharing_) return;
  const int first = slider_->value();
  plot_->setSplit(first);
  double speedups = 0;
  for (std::size_t which = 0; which < 2; ++which) {
    const int share = sharing_->share(which, first);
    const double speedup = sharing_->speedup(which, first);
    speedups += speedup;
    counts_[which]->setText(tr("%1: %2").arg(sharing_->run(which).name, common::formatCount(share)));
    values_[which][0]->setText(common::formatCount(share));
    values_[which][1]->setText(common::formatNumber(sharing_->goodput(which, first)));
    values_[which][2]->setText(QStringLiteral("× ") + common::formatNumber(speedup));
  }
  values_[2][0]->setText(common::formatCount(sharing_->devices()));
  values_[2][1]->setText(common::formatNumber(sharing_->sum(first)));
  values_[2][2]->setText(QStringLiteral("× ") + common::formatNumber(speedups / 2));
}

}  // namespace batchscope::desktop
