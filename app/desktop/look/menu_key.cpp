// SPDX-License-Identifier: GPL-3.0-or-later
#include "look/menu_key.h"

#include <QAbstractItemView>
#include <QContextMenuEvent>

namespace batchscope::desktop {
namespace {

class MenuKey : public QObject {
 public:
  explicit MenuKey(QAbstractItemView* view) : QObject(view), view_(view) { view->installEventFilter(this); }

  bool eventFilter(QObject*, QEvent* event) override {
    if (event->type() != QEvent::ContextMenu) return false;
    if (static_cast<QContextMenuEvent*>(event)->reason() != QContextMenuEvent::Keyboard) return false;
    if (view_->currentIndex().isValid()) {
      view_->scrollTo(view_->currentIndex());
      Q_EMIT view_->customContextMenuRequested(view_->visualRect(view_->currentIndex()).center());
    }
    return true;
  }

 private:
  QAbstractItemView* view_;
};

}  // namespace

void openMenuByKey(QAbstractItemView* view) {
  view->setContextMenuPolicy(Qt::CustomContextMenu);
  new MenuKey(view);
}

}  // namespace batchscope::desktop
