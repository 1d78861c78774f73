// SPDX-License-Identifier: GPL-3.0-or-later
#include "records/step_link.h"

#include <QSignalBlocker>
#include <QTableView>
#include <utility>

#include "series/view_state.h"

namespace batchscope::desktop {

void linkToCursor(QTableView* table, ViewState* state, std::function<StepRef(int row)> stepOf,
                  std::function<int(const StepRef& step)> rowAt) {
  QObject::connect(table->selectionModel(), &QItemSelectionModel::currentRowChanged, state,
                   [state, stepOf = std::move(stepOf)](const QModelIndex& current) {
                     if (current.isValid()) state->setCursor(stepOf(current.row()));
                   });
  QObject::connect(state, &ViewState::cursorMoved, table, [table, state, rowAt = std::move(rowAt)] {
    const auto step = state->pointedAt();
    const int row = step ? rowAt(*step) : -1;
    const QSignalBlocker quiet(table->selectionModel());
    if (row < 0) {
      table->clearSelection();
      table->setCurrentIndex({});
    } else if (table->currentIndex().row() != row) {
      table->selectRow(row);
      table->scrollTo(table->model()->index(row, 0));
    }
    table->viewport()->update();  // which the blocked signals would have asked for
  });
}

}  // namespace batchscope::desktop
