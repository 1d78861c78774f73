// SPDX-License-Identifier: GPL-3.0-or-later
//
// The queue as a table, a run a row. Rows of runs that have a place can be dragged to another place; a drop
// is only signalled, and setEntries() shows the new order once the store has it. Trials that wait at a rung,
// or have ended, are folded under the row of their sweep, which has no id, until a person unfolds it.
#pragma once

#include <QStringList>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "batchscope/pool/queue.h"
#include "look/table_model.h"

namespace batchscope::desktop {

class QueueModel : public TableModel {
  Q_OBJECT
 public:
  enum Column { Name, Place, State, Priority, Replicas, Devices, Waited, End, Why, kColumns };
  enum Role { IdRole = Qt::UserRole };

  using TableModel::TableModel;

  // Sets the entries in the queue's order: those that have a place, those that wait at a rung, and those that
  // have ended. `rungs`: where trials wait for their sweep, by the ids of their runs.
  void setEntries(std::vector<pool::QueueEntry> entries, std::map<std::string, int> rungs = {});
  // Slots of Theme::runs, by the ids of runs.
  void setColours(std::map<std::string, int> colours);
  // All of them, folded ones too.
  const std::vector<pool::QueueEntry>& entries() const { return entries_; }
  // The run of a row, or the sweep in the fields of one (common::QueueRow).
  const pool::QueueEntry& at(int row) const { return rows_.at(static_cast<std::size_t>(row)); }
  int rowOf(const std::string& id) const;  // -1: it is not there, or is folded
  int length() const;                      // rows of those that have a place; they come first

  // The name of the sweep whose row this is; else empty.
  std::string sweepAt(int row) const { return at(row).run.id.empty() ? at(row).run.name : std::string(); }
  void toggleFold(const std::string& sweep);
  void unfold(const std::string& sweep);

  Qt::ItemFlags flags(const QModelIndex& index) const override;
  Qt::DropActions supportedDropActions() const override { return Qt::MoveAction; }
  QStringList mimeTypes() const override;
  QMimeData* mimeData(const QModelIndexList& indexes) const override;
  bool canDropMimeData(const QMimeData* data, Qt::DropAction action, int row, int column,
                       const QModelIndex& parent) const override;
  bool dropMimeData(const QMimeData* data, Qt::DropAction action, int row, int column,
                    const QModelIndex& parent) override;

 Q_SIGNALS:
  // Emitted when these runs are to stand before the run that is in this row now; the length: last.
  void dropped(const QStringList& ids, int row);

 protected:
  std::size_t rows() const override { return rows_.size(); }
  std::size_t columns() const override { return kColumns; }
  QVariant cell(std::size_t row, std::size_t column, int role) const override;
  QVariant title(std::size_t column, int role) const override;

 private:
  QString text(std::size_t row, Column column) const;
  QString sweepText(const pool::QueueEntry& entry, Column column) const;
  std::optional<int> rungOf(const pool::QueueEntry& entry) const;
  bool hasPlace(const pool::QueueEntry& entry) const;
  void showEntries();

  std::vector<pool::QueueEntry> entries_, rows_;
  std::map<std::string, int> rungs_;
  std::set<std::string> unfolded_;  // names of sweeps
  std::map<std::string, int> colours_;
};

}  // namespace batchscope::desktop
