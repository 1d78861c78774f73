// SPDX-License-Identifier: GPL-3.0-or-later
//
// Draws one run of the list: dot, name, badge, detail. A row that opens a section carries its heading above.
#pragma once

#include <QStyledItemDelegate>

namespace batchscope::desktop {

class RunListDelegate : public QStyledItemDelegate {
  Q_OBJECT
 public:
  using QStyledItemDelegate::QStyledItemDelegate;

  QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override;
  void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override;

 protected:
  // The check is the panel's: there is no box to hit here.
  bool editorEvent(QEvent*, QAbstractItemModel*, const QStyleOptionViewItem&, const QModelIndex&) override {
    return false;
  }
};

}  // namespace batchscope::desktop
