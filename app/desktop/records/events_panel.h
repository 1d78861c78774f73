// SPDX-License-Identifier: GPL-3.0-or-later
//
// What happened to the run, in sentences, newest first; tailed from the catalogue by the events' ids. A
// chosen event moves the cross-hair to its step, and the cross-hair chooses the event before it.
#pragma once

#include <QAbstractTableModel>
#include <QWidget>
#include <vector>

#include "batchscope/storage/catalogue.h"
#include "chart/series_model.h"

class QTableView;

namespace batchscope::desktop {

class RunSession;
class ViewState;

class EventModel : public QAbstractTableModel {
  Q_OBJECT
 public:
  enum Column { TimeColumn, TextColumn, ColumnCount };

  using QAbstractTableModel::QAbstractTableModel;

  // Empties the model; times are shown since `start`.
  void reset(double start);
  // Ascending by id, all newer than lastId().
  void append(const std::vector<storage::Event>& events);
  const storage::Event& at(int row) const;
  // The newest row that is not after the step; -1: none.
  int rowAt(const StepRef& step) const;
  std::int64_t lastId() const { return events_.empty() ? 0 : events_.back().id; }

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;

 private:
  double start_ = 0;
  std::vector<storage::Event> events_;  // oldest first; row 0 shows the last
};

class EventsPanel : public QWidget {
  Q_OBJECT
 public:
  EventsPanel(RunSession* session, ViewState* state, QWidget* parent = nullptr);

 private:
  void opened();
  void refresh();

  RunSession* session_;
  EventModel* model_;
};

}  // namespace batchscope::desktop
