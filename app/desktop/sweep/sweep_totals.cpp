// SPDX-License-Identifier: GPL-3.0-or-later
#include "sweep/sweep_totals.h"

#include <QProgressBar>
#include <algorithm>
#include <cmath>
#include <limits>

#include "batchscope/common/number_text.h"
#include "batchscope/common/sweep_text.h"
#include "look/box.h"
#include "look/elided_label.h"

namespace batchscope::desktop {
namespace {

using State = sweep::Standing::State;

constexpr int kWhole = 1000;  // of the bar

// 0 to 1, by what ends it first; none: nothing is said to end it.
std::optional<double> shareDone(const sweep::SweepView& view) {
  const std::size_t wanted = sweep::trials_wanted(view.file);
  const auto done = std::ranges::count_if(
      view.trials, [](const auto& trial) { return trial.standing.state != State::running; });
  std::optional<double> share;
  if (wanted != std::numeric_limits<std::size_t>::max() && wanted > 0)
    share = static_cast<double>(done) / static_cast<double>(wanted);
  if (view.file.device_hours)
    share = std::max(share.value_or(0), view.device_hours / *view.file.device_hours);
  return view.sweep.state == storage::SweepState::finished ? std::optional(1.0) : share;
}

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

  const auto share = shareDone(view);
  progress_->setVisible(share.has_value());
  progress_->setValue(static_cast<int>(std::lround(kWhole * std::min(share.value_or(0), 1.0))));
  progress_->setToolTip(common::formatPercent(share.value_or(0)));
}

}  // namespace batchscope::desktop
