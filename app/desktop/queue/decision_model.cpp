// SPDX-License-Identifier: GPL-3.0-or-later
#include "queue/decision_model.h"

#include <array>
#include <cstdlib>
#include <utility>

#include "batchscope/common/job_text.h"
#include "batchscope/common/number_text.h"
#include "look/theme.h"

namespace batchscope::desktop {
namespace {

int change(const protocol::PoolChoice& choice) {
  return static_cast<int>(choice.devices.size()) - choice.before;
}

// "digits +1, cifar −1"
QString changesText(const protocol::PoolDecision& decision, const NameOfRun& nameOf) {
  QStringList parts;
  for (const protocol::PoolChoice& choice : decision.choices)
    if (const int by = change(choice); by != 0)
      parts << nameOf(choice.run) + (by > 0 ? QStringLiteral(" +") : QStringLiteral(" −")) +
                   common::formatCount(std::abs(by));
  return parts.isEmpty() ? DecisionModel::tr("no change") : parts.join(QStringLiteral(", "));
}

}  // namespace

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
      return changesText(decision, nameOf_);
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
      if (column == Devices) {
        const auto now = static_cast<std::int64_t>(choice.devices.size());
        const QString count =
            change(choice) == 0 ? common::formatCount(now) : tr("%1 → %2").arg(choice.before).arg(now);
        return choice.devices.empty() ? count : tr("%1: %2").arg(count, common::devicesText(choice.devices));
      }
      if (column == Reason) return QString::fromStdString(choice.reason);
      return common::alternativesText(choice.alternatives);
    case Qt::ForegroundRole: {
      const Theme& theme = Theme::current();
      if (column == Devices && change(choice) != 0) return change(choice) > 0 ? theme.good : theme.warning;
      return column == Run ? QVariant() : QVariant(theme.dim);
    }
    case Qt::TextAlignmentRole: return aligned(false);
    default: return {};
  }
}

}  // namespace batchscope::desktop
