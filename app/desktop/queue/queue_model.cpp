// SPDX-License-Identifier: GPL-3.0-or-later
#include "queue/queue_model.h"

#include <QMimeData>
#include <algorithm>
#include <array>
#include <tuple>

#include "batchscope/common/job_text.h"
#include "batchscope/common/number_text.h"
#include "batchscope/common/trial_fold.h"
#include "batchscope/common/trial_text.h"
#include "look/swatch.h"
#include "look/theme.h"
#include "session/queue_snapshot.h"

namespace batchscope::desktop {
namespace {

using pool::QueueEntry;

const QString kMime = QStringLiteral("application/x-batchscope-jobs");

// Compares times to the second where something runs on.
bool looksSame(const QueueEntry& a, const QueueEntry& b) {
  const auto shownFields = [](const QueueEntry& entry) {
    return std::tuple(entry.run.name, entry.run.devices, entry.run.message, entry.run.ended,
                      entry.job.priority, entry.job.target, entry.job.reason, entry.job.expected_end,
                      entry.state, static_cast<long>(entry.waited));
  };
  return shownFields(a) == shownFields(b);
}

// A sweep may have a row among those that have not ended, and another among the others.
std::string keyOf(const QueueEntry& entry) {
  if (!entry.run.id.empty()) return entry.run.id;
  return (hasEnded(entry) ? "ended " : "waits ") + entry.run.name;
}

}  // namespace

void QueueModel::setEntries(std::vector<QueueEntry> entries, std::map<std::string, int> rungs) {
  entries_ = std::move(entries);
  rungs_ = std::move(rungs);
  showEntries();
}

bool QueueModel::hasPlace(const QueueEntry& entry) const {
  return !entry.run.id.empty() && !hasEnded(entry) && !rungs_.contains(entry.run.id);
}

void QueueModel::toggleFold(const std::string& sweep) {
  if (unfolded_.erase(sweep) == 0) unfolded_.insert(sweep);
  showEntries();
}

void QueueModel::unfold(const std::string& sweep) {
  unfolded_.insert(sweep);
  showEntries();
}

std::optional<int> QueueModel::rungOf(const QueueEntry& entry) const {
  const auto rung = rungs_.find(entry.run.id);
  return rung == rungs_.end() ? std::nullopt : std::optional(rung->second);
}

void QueueModel::showEntries() {
  std::vector<common::PlacedJob> jobs;
  for (const QueueEntry& entry : entries_) jobs.push_back({entry, 0, rungOf(entry)});
  std::vector<QueueEntry> rows;
  for (common::QueueRow& row : common::foldQueue(std::move(jobs))) {
    rows.push_back(std::move(row.job.entry));
    if (!unfolded_.contains(rows.back().run.name)) continue;
    for (common::PlacedJob& trial : row.trials) rows.push_back(std::move(trial.entry));
  }
  // The places of those behind one that goes change with it.
  const int before = length();
  replaceRows(rows_, std::move(rows), keyOf, looksSame);
  for (int row = 0; row < rowCount(); ++row)
    if (!sweepAt(row).empty()) Q_EMIT dataChanged(index(row, Name), index(row, Name));
  if (before != length() && rowCount() > 0) Q_EMIT dataChanged(index(0, Place), index(rowCount() - 1, Place));
}

void QueueModel::setColours(std::map<std::string, int> colours) {
  if (colours == colours_) return;
  colours_ = std::move(colours);
  if (rowCount() > 0) Q_EMIT dataChanged(index(0, Name), index(rowCount() - 1, Name));
}

int QueueModel::rowOf(const std::string& id) const {
  const auto found = std::ranges::find(rows_, id, [](const QueueEntry& entry) { return entry.run.id; });
  return found == rows_.end() ? -1 : static_cast<int>(found - rows_.begin());
}

int QueueModel::length() const {
  return static_cast<int>(
      std::ranges::find_if_not(rows_, [this](const QueueEntry& entry) { return hasPlace(entry); }) -
      rows_.begin());
}

Qt::ItemFlags QueueModel::flags(const QModelIndex& index) const {
  if (!index.isValid()) return Qt::ItemIsDropEnabled;  // between rows, not on them
  Qt::ItemFlags flags = TableModel::flags(index) | Qt::ItemNeverHasChildren;
  if (hasPlace(at(index.row()))) flags |= Qt::ItemIsDragEnabled;
  return flags;
}

QStringList QueueModel::mimeTypes() const { return {kMime}; }

QMimeData* QueueModel::mimeData(const QModelIndexList& indexes) const {
  std::vector<int> rows;
  for (const QModelIndex& index : indexes)
    if (index.column() == Name && hasPlace(at(index.row()))) rows.push_back(index.row());
  std::sort(rows.begin(), rows.end());
  QStringList ids;
  for (const int row : rows) ids << QString::fromStdString(at(row).run.id);
  auto* data = new QMimeData;
  data->setData(kMime, ids.join(QLatin1Char(' ')).toUtf8());
  return data;
}

bool QueueModel::canDropMimeData(const QMimeData* data, Qt::DropAction, int, int, const QModelIndex&) const {
  return data->hasFormat(kMime);
}

bool QueueModel::dropMimeData(const QMimeData* data, Qt::DropAction, int row, int,
                              const QModelIndex& parent) {
  if (!data->hasFormat(kMime)) return false;
  const int place = parent.isValid() ? parent.row() : row < 0 ? length() : row;
  Q_EMIT dropped(QString::fromUtf8(data->data(kMime)).split(QLatin1Char(' '), Qt::SkipEmptyParts),
                 std::min(place, length()));
  return false;  // whose rows are where is not the view's to say
}

QVariant QueueModel::title(std::size_t column, int role) const {
  struct Title {
    QString text, toolTip;
  };
  const std::array<Title, kColumns> titles{{
      {tr("Run"), {}},
      {tr("Place"), tr("The order in which runs are given devices, other things being equal")},
      {tr("State"), {}},
      {tr("Priority"), tr("-10 to 10; larger goes first. Drag runs, or press Ctrl+Up and Ctrl+Down")},
      {tr("Replicas"), tr("How many it has, how many the pool wants it to have, and how many it may have")},
      {tr("Devices"), {}},
      {tr("Waited"), tr("Time without devices since it was submitted")},
      {tr("End"), tr("When the pool expects it to end, or when it ended")},
      {tr("Why"), tr("Why it has these devices, or waits")},
  }};
  if (role == Qt::DisplayRole) return titles[column].text;
  if (role == Qt::ToolTipRole) return titles[column].toolTip;
  if (role == Qt::TextAlignmentRole)
    return aligned(column == Place || column == Priority || column == Waited);
  return {};
}

QString QueueModel::sweepText(const QueueEntry& entry, Column column) const {
  switch (column) {
    case Name:
      return (unfolded_.contains(entry.run.name) ? QStringLiteral("▾ ") : QStringLiteral("▸ ")) +
             QString::fromStdString(entry.run.name);
    case State: return hasEnded(entry) ? QString() : tr("at rung");
    case Why: return QString::fromStdString(entry.job.reason);
    default: return {};
  }
}

QString QueueModel::text(std::size_t row, Column column) const {
  const QueueEntry& entry = rows_[row];
  if (entry.run.id.empty()) return sweepText(entry, column);
  switch (column) {
    case Place: return !hasPlace(entry) ? QString() : common::formatCount(static_cast<std::int64_t>(row) + 1);
    case Name: return QString::fromStdString(entry.run.name);
    case State: return common::stateText(entry, rungOf(entry));
    case Priority:
      return entry.job.priority > 0   ? QStringLiteral("+%1").arg(entry.job.priority)
             : entry.job.priority < 0 ? QStringLiteral("−%1").arg(-entry.job.priority)
                                      : QStringLiteral("0");
    case Replicas: return common::replicasText(entry);
    case Devices: return common::devicesText(entry.run.devices);
    case Waited: return common::formatDuration(entry.waited);
    case End: {
      const double end = hasEnded(entry) ? entry.run.ended : entry.job.expected_end;
      return end > 0 ? common::formatTimeOfDay(end) : QStringLiteral("–");
    }
    case Why: return common::whyText(entry, rungOf(entry));
    case kColumns: break;
  }
  return {};
}

QVariant QueueModel::cell(std::size_t row, std::size_t column, int role) const {
  const QueueEntry& entry = rows_[row];
  const auto cellColumn = static_cast<Column>(column);
  const Theme& theme = Theme::current();
  switch (role) {
    case Qt::DisplayRole: return text(row, cellColumn);
    case Qt::ToolTipRole:
      return cellColumn == Name ? tr("%1 (%2)").arg(text(row, Name), QString::fromStdString(entry.run.id))
                                : text(row, cellColumn);
    case Qt::TextAlignmentRole:
      return aligned(cellColumn == Place || cellColumn == Priority || cellColumn == Waited);
    case Qt::ForegroundRole: return cellColumn == Name && !hasEnded(entry) ? QVariant() : QVariant(theme.dim);
    case Qt::DecorationRole:
      if (cellColumn == State && !entry.run.id.empty())
        return dot(toneColour(common::stateTone(entry, rungOf(entry)), theme));
      if (const auto colour = colours_.find(entry.run.id); cellColumn == Name && colour != colours_.end())
        return stroke(theme.run(colour->second));
      return {};
    case Qt::AccessibleTextRole:
      return cellColumn == Name ? tr("%1, %2, %3").arg(text(row, Name), text(row, State), text(row, Why))
                                : text(row, cellColumn);
    case IdRole: return QString::fromStdString(entry.run.id);
    default: return {};
  }
}

}  // namespace batchscope::desktop
