// SPDX-License-Identifier: GPL-3.0-or-later
#include "queue/queue_model.h"

#include <QMimeData>
#include <algorithm>
#include <array>
#include <tuple>

#include "look/format.h"
#include "look/swatch.h"
#include "look/theme.h"
#include "queue/queue_text.h"
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

}  // namespace

void QueueModel::setEntries(std::vector<QueueEntry> entries) {
  // The places of those behind one that goes change with it.
  const int before = length();
  replaceRows(
      entries_, std::move(entries), [](const QueueEntry& entry) { return entry.run.id; }, looksSame);
  if (before != length() && rowCount() > 0) Q_EMIT dataChanged(index(0, Place), index(rowCount() - 1, Place));
}

void QueueModel::setColours(std::map<std::string, int> colours) {
  if (colours == colours_) return;
  colours_ = std::move(colours);
  if (rowCount() > 0) Q_EMIT dataChanged(index(0, Name), index(rowCount() - 1, Name));
}

int QueueModel::rowOf(const std::string& id) const {
  const auto found = std::ranges::find(entries_, id, [](const QueueEntry& entry) { return entry.run.id; });
  return found == entries_.end() ? -1 : static_cast<int>(found - entries_.begin());
}

int QueueModel::length() const { return static_cast<int>(queueLength(entries_)); }

Qt::ItemFlags QueueModel::flags(const QModelIndex& index) const {
  if (!index.isValid()) return Qt::ItemIsDropEnabled;  // between rows, not on them
  Qt::ItemFlags flags = TableModel::flags(index) | Qt::ItemNeverHasChildren;
  if (!hasEnded(at(index.row()))) flags |= Qt::ItemIsDragEnabled;
  return flags;
}

QStringList QueueModel::mimeTypes() const { return {kMime}; }

QMimeData* QueueModel::mimeData(const QModelIndexList& indexes) const {
  std::vector<int> rows;
  for (const QModelIndex& index : indexes)
    if (index.column() == Name && !hasEnded(at(index.row()))) rows.push_back(index.row());
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
      {tr("Why"), tr("Why it has what it has, or waits")},
  }};
  if (role == Qt::DisplayRole) return titles[column].text;
  if (role == Qt::ToolTipRole) return titles[column].toolTip;
  if (role == Qt::TextAlignmentRole)
    return aligned(column == Place || column == Priority || column == Waited);
  return {};
}

QString QueueModel::text(std::size_t row, Column column) const {
  const QueueEntry& entry = entries_[row];
  switch (column) {
    case Place: return hasEnded(entry) ? QString() : formatCount(static_cast<std::int64_t>(row) + 1);
    case Name: return QString::fromStdString(entry.run.name);
    case State: return stateText(entry.state);
    case Priority:
      return entry.job.priority > 0   ? QStringLiteral("+%1").arg(entry.job.priority)
             : entry.job.priority < 0 ? QStringLiteral("−%1").arg(-entry.job.priority)
                                      : QStringLiteral("0");
    case Replicas: return replicasText(entry);
    case Devices: return devicesText(entry.run.devices);
    case Waited: return formatDuration(entry.waited);
    case End: {
      const double end = hasEnded(entry) ? entry.run.ended : entry.job.expected_end;
      return end > 0 ? formatTimeOfDay(end) : QStringLiteral("–");
    }
    case Why: return whyText(entry);
    case kColumns: break;
  }
  return {};
}

QVariant QueueModel::cell(std::size_t row, std::size_t column, int role) const {
  const QueueEntry& entry = entries_[row];
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
      if (cellColumn == State)
        return dot(stateColour(QString::fromLatin1(pool::job_state_name(entry.state)), theme));
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
