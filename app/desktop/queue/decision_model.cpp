// SPDX-License-Identifier: GPL-3.0-or-later
#include "queue/decision_model.h"

#include <array>
#include <utility>

#include "batchscope/common/decision_text.h"
#include "batchscope/common/job_text.h"
#include "batchscope/common/number_text.h"
#include "look/theme.h"

namespace batchscope::desktop {
DecisionModel::DecisionModel(NameOfRun nameOf, QObject* parent)
    : TableModel(parent), nameOf_(std::move(nameOf)) {}

void DecisionModel::setDecisions(const std::vector<protocol::PoolDecision>& decisions) {
  replaceRows(
      decisions_, {decisions.rbegin(), decisions.rend()},
      [](const protocol::PoolDecision& decision) { return decision.id; },
      [](const protocol::PoolDecision&, const protocol::PoolDecision&) { return true; });
}

QVariant DecisionModel::title(std::size_t column, int role) const {
  static constexpr std::array<const char*, kColumns> kTitles{QT_TR_NOOP("Time"), QT_TR_NOOP("Cause"),
                                                             QT_TR_NOOP("Devices")};
  if (role == Qt::DisplayRole) return tr(kTitles[column]);
  return role == Qt::TextAlignmentRole ? aligned(false) : QVariant();
}

QVariant DecisionModel::cell(std::size_t row, std::size_t column, int role) const {
  const protocol::PoolDecision& decision = decisions_[row];
  switch (role) {
    case Qt::DisplayRole:
    case Qt::ToolTipRole:
      if (column == Time) return common::formatSecondOfDay(decision.time);
      if (column == Cause) return QString::fromStdString(decision.cause);
      return common::changesText(decision, nameOf_);
    case Qt::ForegroundRole: return column == Cause ? QVariant() : QVariant(Theme::current().dim);
    case Qt::TextAlignmentRole: return aligned(false);
    default: return {};
  }
}

ChoiceModel::ChoiceModel(NameOfRun nameOf, QObject* parent)
    : TableModel(parent), nameOf_(std::move(nameOf)) {}

void ChoiceModel::setChoices(std::vector<protocol::PoolChoice> choices) {
  if (choices == choices_) return;
  beginResetModel();
  choices_ = std::move(choices);
  endResetModel();
}

QVariant ChoiceModel::title(std::size_t column, int role) const {
  static constexpr std::array<const char*, kColumns> kTitles{QT_TR_NOOP("Run"), QT_TR_NOOP("Devices"),
                                                             QT_TR_NOOP("Why"), QT_TR_NOOP("Alternatives")};
  if (role == Qt::DisplayRole) return tr(kTitles[column]);
  if (role == Qt::ToolTipRole && column == Alternatives)
    return tr("How much faster or slower the run would learn with one device fewer or one more");
  return role == Qt::TextAlignmentRole ? aligned(false) : QVariant();
}

QVariant ChoiceModel::cell(std::size_t row, std::size_t column, int role) const {
  const protocol::PoolChoice& choice = choices_[row];
  switch (role) {
    case Qt::DisplayRole:
    case Qt::ToolTipRole:
      if (column == Run) return nameOf_(choice.run);
      if (column == Devices) return common::choiceText(choice);
      if (column == Reason) return QString::fromStdString(choice.reason);
      return common::alternativesText(choice.alternatives);
    case Qt::ForegroundRole: {
      const Theme& theme = Theme::current();
      const int by = common::changeOf(choice);
      if (column == Devices && by != 0) return by > 0 ? theme.good : theme.warning;
      return column == Run ? QVariant() : QVariant(theme.dim);
    }
    case Qt::TextAlignmentRole: return aligned(false);
    default: return {};
  }
}

}  // namespace batchscope::desktop
