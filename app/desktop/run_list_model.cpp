// SPDX-License-Identifier: GPL-3.0-or-later
#include "run_list_model.h"

#include <algorithm>
#include <iterator>
#include <unordered_map>

#include "format.h"

namespace batchscope::desktop {
namespace {

using protocol::RunState;

bool belongsToActive(RunState state) { return is_active(state) || state == RunState::paused; }

QString joined(const QStringList& parts) { return parts.join(QStringLiteral(" · ")); }

}  // namespace

QString RunListModel::detail(const storage::Run& run) {
  QStringList parts;
  if (run.state == RunState::failed || run.state == RunState::interrupted) {
    parts << (run.message.empty() ? (run.state == RunState::failed ? tr("failed") : tr("interrupted"))
                                  : QString::fromStdString(run.message));
    if (is_resumable(run.state)) parts << tr("resumable");
    return joined(parts);
  }
  if (run.epochs > 0) parts << tr("epoch %1 of %2").arg(std::min(run.epoch + 1, run.epochs)).arg(run.epochs);
  const auto metric = [&](const char* name, const QString& text) {
    const auto found = run.latest.find(name);
    if (found != run.latest.end()) parts << text.arg(formatNumber(found->second));
  };
  if (run.latest.contains("accuracy")) {
    metric("accuracy", QStringLiteral("%1"));
  } else {
    metric("loss", tr("loss %1"));
  }
  if (parts.isEmpty())
    parts << (run.step > 0 ? tr("step %1").arg(formatCount(run.step)) : formatTimeOfDay(run.created));
  return joined(parts);
}

void RunListModel::setRuns(const std::vector<storage::Run>& runs) {
  std::vector<storage::Run> sorted = runs;
  std::stable_partition(sorted.begin(), sorted.end(),
                        [](const storage::Run& run) { return belongsToActive(run.state); });
  const auto rowsOf = [](const std::vector<storage::Run>& list) {
    std::unordered_map<std::string, int> rows;
    for (std::size_t row = 0; row < list.size(); ++row) rows.emplace(list[row].id, static_cast<int>(row));
    return rows;
  };
  const auto place = rowsOf(sorted), before = rowsOf(runs_);

  for (int row = rowCount() - 1; row >= 0; --row) {
    if (place.contains(runs_[static_cast<std::size_t>(row)].id)) continue;
    beginRemoveRows({}, row, row);
    runs_.erase(runs_.begin() + row);
    endRemoveRows();
  }
  std::vector<storage::Run> fresh;
  std::copy_if(sorted.begin(), sorted.end(), std::back_inserter(fresh),
               [&](const auto& run) { return !before.contains(run.id); });
  if (!fresh.empty()) {
    beginInsertRows({}, rowCount(), rowCount() + static_cast<int>(fresh.size()) - 1);
    runs_.insert(runs_.end(), fresh.begin(), fresh.end());
    endInsertRows();
  }
  const bool isInOrder = std::equal(sorted.begin(), sorted.end(), runs_.begin(),
                                    [](const auto& a, const auto& b) { return a.id == b.id; });
  if (isInOrder) {
    runs_ = std::move(sorted);
    if (!runs_.empty()) Q_EMIT dataChanged(index(0), index(rowCount() - 1));
    return;
  }
  Q_EMIT layoutAboutToBeChanged();
  const QModelIndexList from = persistentIndexList();
  QModelIndexList to;
  for (const QModelIndex& old : from)
    to << createIndex(place.at(runs_[static_cast<std::size_t>(old.row())].id), 0);
  runs_ = std::move(sorted);
  changePersistentIndexList(from, to);
  Q_EMIT layoutChanged();
}

void RunListModel::setStatus(const protocol::RunStatus& status) {
  const auto run =
      std::find_if(runs_.begin(), runs_.end(), [&](const auto& r) { return r.id == status.run; });
  if (run == runs_.end()) return;
  const QModelIndex at = index(static_cast<int>(run - runs_.begin()));
  const QVariant detailBefore = at.data(DetailRole), badgeBefore = at.data(BadgeRole);
  run->replicas = status.replicas;
  run->step = status.step;
  run->epoch = status.epoch;
  run->epochs = status.epochs;
  run->latest = status.latest;
  if (at.data(DetailRole) != detailBefore || at.data(BadgeRole) != badgeBefore) Q_EMIT dataChanged(at, at);
}

int RunListModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(runs_.size());
}

QVariant RunListModel::data(const QModelIndex& index, int role) const {
  if (!checkIndex(index, CheckIndexOption::IndexIsValid)) return {};
  const storage::Run& run = runs_[static_cast<std::size_t>(index.row())];
  switch (role) {
    case Qt::DisplayRole: return QString::fromStdString(run.name);
    case Qt::ToolTipRole:
      return tr("%1 (%2)").arg(QString::fromStdString(run.name), QString::fromStdString(run.id));
    case Qt::AccessibleTextRole:
      return tr("%1, %2, %3")
          .arg(QString::fromStdString(run.name), QString::fromUtf8(run_state_name(run.state)), detail(run));
    case IdRole: return QString::fromStdString(run.id);
    case DetailRole: return detail(run);
    case StateRole: return QString::fromUtf8(run_state_name(run.state));
    case SectionRole: return belongsToActive(run.state) ? tr("Active") : tr("Earlier");
    case BadgeRole:
      if (is_active(run.state)) return QStringLiteral("×%1").arg(std::max(1, run.replicas));
      if (run.state == RunState::finished) return tr("done");
      return QString::fromUtf8(run_state_name(run.state));
    default: return {};
  }
}

void RunFilterModel::setWords(const QString& text) {
  words_ = text.split(QLatin1Char(' '), Qt::SkipEmptyParts);
  invalidateFilter();
}

bool RunFilterModel::filterAcceptsRow(int row, const QModelIndex& parent) const {
  const QModelIndex at = sourceModel()->index(row, 0, parent);
  const QString text = at.data(Qt::DisplayRole).toString() + QLatin1Char(' ') +
                       at.data(RunListModel::IdRole).toString() + QLatin1Char(' ') +
                       at.data(RunListModel::StateRole).toString() + QLatin1Char(' ') +
                       at.data(RunListModel::BadgeRole).toString();
  return std::all_of(words_.begin(), words_.end(),
                     [&](const QString& word) { return text.contains(word, Qt::CaseInsensitive); });
}

}  // namespace batchscope::desktop
