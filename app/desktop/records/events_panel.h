// SPDX-License-Identifier: GPL-3.0-or-later
//
// The events of the run, in sentences, newest first; tailed from the catalogue by the events' ids. A chosen
// event moves the cross-hair to its step, and the cross-hair chooses the event before it. While the run is
// replayed, only what had happened by then is there.
#pragma once

#include <optional>
#include <vector>

#include "batchscope/storage/catalogue.h"
#include "look/plain_table.h"
#include "look/table_model.h"
#include "series/series_model.h"

namespace batchscope::desktop {

class RunSession;
class ViewState;

class EventModel : public TableModel {
  Q_OBJECT
 public:
  enum Column { TimeColumn, TextColumn, ColumnCount };

  using TableModel::TableModel;

  // Empties the model; times are shown since `start`.
  void reset(double start);
  // Ascending by id, all newer than lastId(). Those of level "debug" are not shown.
  void append(const std::vector<storage::Event>& events);
  // Shows those that had happened by this step; none: all.
  void setEnd(const std::optional<StepRef>& step);
  const storage::Event& at(int row) const;
  // The newest row that is not after the step; -1: none.
  int rowAt(const StepRef& step) const;
  std::int64_t lastId() const { return lastId_; }

 protected:
  std::size_t rows() const override { return shown_; }
  std::size_t columns() const override { return ColumnCount; }
  QVariant cell(std::size_t row, std::size_t column, int role) const override;

 private:
  void updateShown();

  double start_ = 0;
  std::int64_t lastId_ = 0;
  std::optional<StepRef> end_;
  std::vector<storage::Event> events_;  // oldest first
  std::size_t shown_ = 0;               // of them; row 0 shows the last of these
};

class EventsPanel : public PlainTable {
  Q_OBJECT
 public:
  EventsPanel(RunSession* session, ViewState* state, QWidget* parent = nullptr);
};

}  // namespace batchscope::desktop
