// SPDX-License-Identifier: GPL-3.0-or-later
//
// A lesson in the list: its title, below it what it is about, and a tick once it is done.
#pragma once

#include <QStyledItemDelegate>

namespace batchscope::desktop {

class LessonDelegate : public QStyledItemDelegate {
  Q_OBJECT
 public:
  using QStyledItemDelegate::QStyledItemDelegate;

  QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override;
  void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override;
};

}  // namespace batchscope::desktop
