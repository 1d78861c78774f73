// SPDX-License-Identifier: GPL-3.0-or-later
//
// The runs, active ones first, each with the one line that says where it stands.
#pragma once

#include <QAbstractListModel>
#include <QSortFilterProxyModel>
#include <vector>

#include "batchscope/protocol/control.h"
#include "batchscope/storage/catalogue.h"

namespace batchscope::desktop {

class RunListModel : public QAbstractListModel {
  Q_OBJECT
 public:
  enum Role { IdRole = Qt::UserRole, DetailRole, BadgeRole, StateRole, SectionRole };

  using QAbstractListModel::QAbstractListModel;

  // Newest first; rows that stay keep their identity.
  void setRuns(const std::vector<storage::Run>& runs);
  // What a supervisor says of its run, which is newer than the catalogue.
  void setStatus(const protocol::RunStatus& status);

  int rowCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;

  // What a run's detail line says: "epoch 19 of 30 · 0.981".
  static QString detail(const storage::Run& run);

 private:
  std::vector<storage::Run> runs_;
};

// Keeps the runs whose name, id or state holds every word that was typed.
class RunFilterModel : public QSortFilterProxyModel {
  Q_OBJECT
 public:
  using QSortFilterProxyModel::QSortFilterProxyModel;
  void setWords(const QString& text);

 protected:
  bool filterAcceptsRow(int row, const QModelIndex& parent) const override;

 private:
  QStringList words_;
};

}  // namespace batchscope::desktop
