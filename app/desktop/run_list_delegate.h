// SPDX-License-Identifier: GPL-3.0-or-later
//
// Draws one run of the list: dot, name, badge, detail. A row that opens a section carries its heading above.
#pragma once

#include <QStyledItemDelegate>

#include "theme.h"

namespace batchscope::desktop {

class RunListDelegate : public QStyledItemDelegate {
  Q_OBJECT
 public:
  using QStyledItemDelegate::QStyledItemDelegate;

  QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override;
  void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override;
};

// Green running, amber between states, red failed, grey done.
QColor stateColour(const QString& state, const Theme& theme);

}  // namespace batchscope::desktop
