// SPDX-License-Identifier: GPL-3.0-or-later
//
// Ties a table whose rows belong to steps to the cross-hair, in both directions: a row that a person chooses
// moves it, and where it is moved elsewhere the table shows the row that belongs there; so it does for the
// play head of a replay.
#pragma once

#include <functional>

#include "series/series_model.h"

class QTableView;

namespace batchscope::desktop {

class ViewState;

// `rowAt` gives -1 where no row belongs to the step. Both live as long as the table.
void linkToCursor(QTableView* table, ViewState* state, std::function<StepRef(int row)> stepOf,
                  std::function<int(const StepRef& step)> rowAt);

}  // namespace batchscope::desktop
