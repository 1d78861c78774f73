// SPDX-License-Identifier: GPL-3.0-or-later
#include "sweep/sweep_totals.h"

#include <QProgressBar>
#include <cmath>

#include "batchscope/common/number_text.h"
#include "batchscope/common/sweep_progress.h"
#include "batchscope/common/sweep_text.h"
#include "look/box.h"
#include "look/elided_label.h"

namespace batchscope::desktop {
namespace {

constexpr int kWhole = 1000;  // of the bar

}  // namespace

SweepTotals::SweepTotals(QWidget* parent)
    : QFrame(parent), message_(new ElidedLabel(this)), progress_(new QProgressBar(this)) {
  setObjectName(QStringLiteral("card"));
  const auto totals = common::totalsOf({});
  QHBoxLayout* row = hbox(nullptr, {}, 28, {});
  for (std::size_t i = 0; i < totals.size(); ++i) {
    QLabel* name = named("hint", this, totals[i].name);
    values_[i] = named("chartTitle", this);
    values_[i]->setAccessibleName(totals[i].name);
    for (QLabel* label : {name, values_[i]}) label->setToolTip(totals[i].how);
    row->addLayout(vbox(nullptr, {}, 1, {name, values_[i]}));
  }
  message_->setObjectName(QStringLiteral("dim"));
  row->addWidget(message_, 1);
  progress_->setTextVisible(false);
  progress_->setFixedHeight(4);
  progress_->setRange(0, kWhole);
  progress_->setAccessibleName(tr("How far the sweep is"));
  vbox(this, {14, 7, 14, 9}, 7, {row, progress_});
}

void SweepTotals::setView(const sweep::SweepView& view) {
  const auto totals = common::totalsOf(view);
  for (std::size_t i = 0; i < totals.size(); ++i) values_[i]->setText(totals[i].value);
  message_->setText(QString::fromStdString(view.sweep.message));
  message_->setToolTip(message_->text());

  const double share = common::progressOf(view, storage::now()).share;
  progress_->setValue(static_cast<int>(std::lround(kWhole * share)));
  progress_->setToolTip(common::formatPercent(share));
}

}  // namespace batchscope::desktop
