// SPDX-License-Identifier: GPL-3.0-or-later
#include "queue/totals_bar.h"

#include "batchscope/common/number_text.h"
#include "look/box.h"
#include "look/elided_label.h"

namespace batchscope::desktop {
namespace {

constexpr int kName = 120;  // pixels of a run's

}  // namespace

TotalsBar::TotalsBar(QWidget* parent) : QFrame(parent), advice_(new ElidedLabel(this)) {
  setObjectName(QStringLiteral("card"));
  struct Total {
    QString name, how;
  };
  const std::array<Total, 5> totals{{
      {tr("Mean completion"), tr("From submission to end, over the runs here that succeeded")},
      {tr("Mean wait"), tr("Time without devices since the submission, over all runs here")},
      {tr("Devices in use"),
       tr("Share of the devices' time in which runs had them, while there was any run in the queue")},
      {tr("Worst fairness"),
       tr("Finish-time fairness: how long a run took, divided by how long it would have taken with its fair\n"
          "share of the devices to itself, as its fitted model predicts. The fair share is the number of\n"
          "devices divided by the mean number of runs. This is the largest of all runs that succeeded;\n"
          "below 1: all were faster than with their fair share.")},
      {tr("Pool heard"), tr("When the process that gives the devices to the runs last showed that it works")},
  }};
  QHBoxLayout* row = hbox(this, {14, 7, 14, 8}, 28, {});
  for (std::size_t i = 0; i < totals.size(); ++i) {
    QLabel* name = named("hint", this, totals[i].name);
    values_[i] = named("chartTitle", this);
    values_[i]->setAccessibleName(totals[i].name);
    for (QLabel* label : {name, values_[i]}) label->setToolTip(totals[i].how);
    row->addLayout(vbox(nullptr, {}, 1, {name, values_[i]}));
  }
  advice_->setObjectName(QStringLiteral("dim"));
  row->addWidget(advice_, 1);
  setTotals({});
  setHeartbeat({});
}

void TotalsBar::setTotals(const QueueTotals& totals) {
  const auto text = [](const std::optional<double>& value, auto format) {
    return value ? format(*value) : QStringLiteral("–");
  };
  values_[0]->setText(text(totals.meanCompletion, common::formatDuration));
  values_[1]->setText(text(totals.meanWait, common::formatDuration));
  values_[2]->setText(text(totals.use, [](double share) { return common::formatPercent(share); }));
  values_[3]->setText(totals.worstFairness
                          ? tr("%1, %2").arg(common::formatNumber(*totals.worstFairness),
                                             fontMetrics().elidedText(totals.worstRun, Qt::ElideRight, kName))
                          : QStringLiteral("–"));
}

void TotalsBar::setHeartbeat(const std::optional<run::ProcessHeartbeat>& heartbeat) {
  values_[4]->setText(heartbeat ? tr("%1 ago").arg(common::formatDuration(heartbeat->age))
                                : QStringLiteral("–"));
}

void TotalsBar::setAdvice(const QString& sentence) {
  advice_->setText(sentence);
  advice_->setToolTip(sentence);
}

}  // namespace batchscope::desktop
