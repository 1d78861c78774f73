// SPDX-License-Identifier: GPL-3.0-or-later
#include "lessons/sharing_panel.h"

#include <QFrame>
#include <QGridLayout>
#include <QPushButton>
#include <QSlider>
#include <utility>

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

  choices_ = hbox(nullptr, {}, 6, {named("dim", frame, tr("Split as"))});
  choices_->addStretch(1);
  vbox(frame, {14, 10, 14, 12}, 10, {grid, choices_});
  return frame;
}

void SharingPanel::setSharing(common::Sharing sharing) {
  sharing_ = std::move(sharing);
  const int devices = sharing_->devices();
  qDeleteAll(buttons_);
  buttons_.clear();
  for (const common::SharingChoice& choice : common::sharingChoices(*sharing_)) {
    auto* button = new QPushButton(choice.name, this);
    button->setToolTip(choice.meaning);
    connect(button, &QPushButton::clicked, this, [this, first = choice.first] { slider_->setValue(first); });
    buttons_.push_back(button);
    choices_->insertWidget(static_cast<int>(buttons_.size()), button);  // behind the words
  }
  title_->setText(tr("%1 devices").arg(devices));
  for (std::size_t which = 0; which < 2; ++which) {
    names_[which]->setText(sharing_->run(which).name);
    names_[which]->setMaximumWidth(220);
  }
  plot_->setSharing(sharing_);
  slider_->setRange(0, devices);
  slider_->setValue(devices / 2);
  showSplit();
}

void SharingPanel::showSplit() {
  if (!sharing_) return;
  const int first = slider_->value();
  plot_->setSplit(first);
  const auto rows = common::sharingRows(*sharing_, first);
  for (std::size_t row = 0; row < rows.size(); ++row)
    for (std::size_t column = 0; column < rows[row].size(); ++column)
      values_[row][column]->setText(rows[row][column]);
  for (std::size_t which = 0; which < 2; ++which)
    counts_[which]->setText(tr("%1: %2").arg(sharing_->run(which).name, rows[which][0]));
}

}  // namespace batchscope::desktop
