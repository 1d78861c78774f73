// SPDX-License-Identifier: GPL-3.0-or-later
//
// The key for menus opens that of the current row. By itself Qt asks for the one in the middle of the view,
// where a short list has no row.
#pragma once

class QAbstractItemView;

namespace batchscope::desktop {

// Opens by key the menu of a view that is opened by customContextMenuRequested.
void openMenuByKey(QAbstractItemView* view);

}  // namespace batchscope::desktop
