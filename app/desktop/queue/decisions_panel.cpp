// SPDX-License-Identifier: GPL-3.0-or-later
#include "queue/decisions_panel.h"

#include <QHeaderView>
#include <utility>

#include "batchscope/common/job_text.h"
#include "batchscope/common/number_text.h"
#include "look/box.h"
#include "look/elided_label.h"
#include "look/plain_table.h"

namespace batchscope::desktop {

DecisionsPanel::DecisionsPanel(NameOfRun nameOf, QWidget* parent)
    : QWidget(parent),
      decisions_(new DecisionModel(nameOf, this)),
      choices_(new ChoiceModel(std::move(nameOf), this)),
      list_(new PlainTable(tr("No decision yet. The first comes when the queue gives devices to a run."),
                           this)),
      table_(new PlainTable({}, this)),
      title_(new ElidedLabel(this)),
      idle_(named("chartUnit", this)) {
  title_->setObjectName(QStringLiteral("chartTitle"));
  list_->setObjectName(QStringLiteral("decisions"));
  list_->setAccessibleName(tr("Decisions of the pool"));
  list_->setModel(decisions_);
  list_->setSelectionMode(QAbstractItemView::SingleSelection);
  list_->setColumnWidth(DecisionModel::Time, 112);
  list_->setColumnWidth(DecisionModel::Cause, 170);
  table_->setObjectName(QStringLiteral("choices"));
  table_->setAccessibleName(tr("The decision, run by run"));
  table_->setModel(choices_);
  table_->setColumnWidth(ChoiceModel::Run, 120);
  table_->setColumnWidth(ChoiceModel::Devices, 120);
  table_->setColumnWidth(ChoiceModel::Reason, 260);

  auto* left = new QWidget(this);
  auto* right = new QWidget(this);
  vbox(left, {}, 0,
       {hbox(nullptr, {12, 0, 10, 2}, 7, {named("chartTitle", left, tr("Decisions")), rest()}), {list_, 1}});
  vbox(right, {}, 0, {hbox(nullptr, {12, 0, 10, 2}, 7, {title_, idle_, rest()}), {table_, 1}});
  hbox(this, {}, 0, {{left, 2}, {right, 3}});
  connect(list_->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
          &DecisionsPanel::showCurrent);
  showCurrent();
}

void DecisionsPanel::setDecisions(const std::vector<protocol::PoolDecision>& decisions) {
  const bool followsNewest = list_->currentIndex().row() <= 0;
  decisions_->setDecisions(decisions);
  if (followsNewest && decisions_->rowCount() > 0) list_->selectRow(0);
  showCurrent();
}

void DecisionsPanel::showCurrent() {
  const QModelIndex current = list_->currentIndex();
  if (!current.isValid()) {
    title_->clear();
    idle_->clear();
    choices_->setChoices({});
    return;
  }
  const protocol::PoolDecision& decision = decisions_->at(current.row());
  title_->setText(
      tr("%1, %2").arg(common::formatSecondOfDay(decision.time), QString::fromStdString(decision.cause)));
  idle_->setText(decision.idle.empty()
                     ? tr("policy %1").arg(QString::fromStdString(decision.policy))
                     : tr("policy %1, idle: %2")
                           .arg(QString::fromStdString(decision.policy), common::devicesText(decision.idle)));
  choices_->setChoices(decision.choices);
}

}  // namespace batchscope::desktop
