// SPDX-License-Identifier: GPL-3.0-or-later
#include "sweep/sweep_totals.h"

#include <QProgressBar>
#include <algorithm>
#include <cmath>
#include <limits>

#include "batchscope/common/number_text.h"
#include "look/box.h"
#include "look/elided_label.h"
#include "sweep/sweep_text.h"

namespace batchscope::desktop {
namespace {

using State = sweep::Standing::State;

constexpr int kWhole = 1000;  // of the bar

QString countText(std::size_t count) { return common::formatCount(static_cast<std::int64_t>(count)); }

// 0 to 1, by what ends it first; none: nothing is said to end it.
std::optional<double> shareDone(const sweep::SweepView& view, std::size_t wanted) {
  std::optional<double> share;
  if (wanted != std::numeric_limits<std::size_t>::max() && wanted > 0)
    share = static_cast<double>(trialsDone(view)) / static_cast<double>(wanted);
  if (view.file.device_hours)
    share = std::max(share.value_or(0), view.device_hours / *view.file.device_hours);
  return view.sweep.state == storage::SweepState::finished ? std::optional(1.0) : share;
}

}  // namespace

SweepTotals::SweepTotals(QWidget* parent)
    : QFrame(parent), message_(new ElidedLabel(this)), progress_(new QProgressBar(this)) {
  setObjectName(QStringLiteral("card"));
  struct Total {
    QString name, how;
  };
  const std::array<Total, 5> totals{{
      {tr("Trials done"), tr("Trials that do not train now, of those that the sweep is for")},
      {tr("Best"), tr("The best value of the trials that came furthest, and its trial")},
      {tr("Device time"), tr("Time that trials have trained, times the devices that they had")},
      {tr("Stopped early"), tr("Trials that were stopped at a rung, or wait there for others")},
      {tr("Went wrong"), tr("Trials whose program failed, or whose metric was not finite")},
  }};
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
  const std::size_t wanted = sweep::trials_wanted(view.file), done = trialsDone(view);
  const bool isBounded = wanted != std::numeric_limits<std::size_t>::max();
  values_[0]->setText(isBounded ? tr("%1 of %2").arg(countText(done), countText(wanted)) : countText(done));
  values_[1]->setText(view.best ? tr("%1 %2, trial %3")
                                      .arg(QString::fromStdString(view.file.metric),
                                           metricText(view, *view.trials[*view.best].standing.value),
                                           countText(*view.best))
                                : QStringLiteral("–"));
  const QString hours = common::formatDuration(3600 * view.device_hours);
  values_[2]->setText(view.file.device_hours
                          ? tr("%1 of %2").arg(hours, common::formatDuration(3600 * *view.file.device_hours))
                          : hours);
  values_[3]->setText(countText(stoppedEarly(view)));
  values_[4]->setText(countText(
      static_cast<std::size_t>(std::ranges::count_if(view.trials, [](const sweep::TrialView& trial) {
        return trial.standing.state == State::failed || trial.standing.state == State::diverged;
      }))));
  message_->setText(QString::fromStdString(view.sweep.message));
  message_->setToolTip(message_->text());

  const auto share = shareDone(view, wanted);
  progress_->setVisible(share.has_value());
  progress_->setValue(static_cast<int>(std::lround(kWhole * std::min(share.value_or(0), 1.0))));
  progress_->setToolTip(common::formatPercent(share.value_or(0)));
}

}  // namespace batchscope::desktop
