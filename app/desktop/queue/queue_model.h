// SPDX-License-Identifier: GPL-3.0-or-later
//
// The queue as a table, a run a row. Rows of runs that have not ended are dragged to another place; what is
// dropped is said, and comes back by setEntries once it is so.
#pragma once

#include <QStringList>
#include <map>
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

  // Sets the entries in the queue's order, those that have ended last.
  void setEntries(std::vector<pool::QueueEntry> entries);
  // Slots of Theme::runs, by the ids of runs.
  void setColours(std::map<std::string, int> colours);
  const std::vector<pool::QueueEntry>& entries() const { return entries_; }
  const pool::QueueEntry& at(int row) const { return entries_.at(static_cast<std::size_t>(row)); }
  int rowOf(const std::string& id) const;  // -1: it is not there
  int length() const;                      // rows of those that have not ended

  Qt::ItemFlags flags(const QModelIndex& index) const override;
  Qt::DropActions supportedDropActions() const override { return Qt::MoveAction; }
  QStringList mimeTypes() const override;
  QMimeData* mimeData(const QModelIndexList& indexes) const override;
  bool canDropMimeData(const QMimeData* data, Qt::DropAction action, int row, int column,
                       const QModelIndex& parent) const override;
  bool dropMimeData(const QMimeData* data, Qt::DropAction action, int row, int column,
                    const QModelIndex& parent) override;

 Q_SIGNALS:
  // These are to stand before the run that is in this row now; its length: last.
  void dropped(const QStringList& ids, int row);

 protected:
  std::size_t rows() const override { return entries_.size(); }
  std::size_t columns() const override { return kColumns; }
  QVariant cell(std::size_t row, std::size_t column, int role) const override;
  QVariant title(std::size_t column, int role) const override;

 private:
  QString text(std::size_t row, Column column) const;

  std::vector<pool::QueueEntry> entries_;
  std::map<std::string, int> colours_;
};

}  // namespace batchscope::desktop
