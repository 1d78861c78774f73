// SPDX-License-Identifier: GPL-3.0-or-later
#include "runs/run_list_panel.h"

#include <QKeyEvent>
#include <QListView>
#include <QSignalBlocker>
#include <QVBoxLayout>
#include <algorithm>

#include "runs/run_filter_model.h"
#include "runs/run_list_delegate.h"
#include "runs/run_model.h"
#include "runs/run_search.h"

namespace batchscope::desktop {

RunListPanel::RunListPanel(RunModel* runs, QWidget* parent)
    : QFrame(parent),
      search_(new RunSearch(runs, this)),
      list_(new QListView(this)),
      filter_(new RunFilterModel(runs, this)) {
  setObjectName(QStringLiteral("leftPanel"));
  setMinimumWidth(200);
  list_->setModel(filter_);
  list_->setItemDelegate(new RunListDelegate(list_));
  list_->setObjectName(QStringLiteral("runList"));
  list_->setAccessibleName(tr("Runs"));
  list_->setFrameShape(QFrame::NoFrame);
  list_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  list_->setVerticalScrollMode(QAbstractItemView::ScrollPerPixel);
  list_->setEditTriggers(QAbstractItemView::NoEditTriggers);
  list_->setMouseTracking(true);

  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(10, 10, 10, 8);
  column->setSpacing(4);
  column->addWidget(search_);
  column->addWidget(list_, 1);

  // What is searched does not open another run, also where the open one does not pass.
  connect(search_, &RunSearch::queryChanged, this, [this] {
    const QString open = selected_;
    const QSignalBlocker quiet(this);
    filter_->setQuery(search_->query());
    select(open.toStdString());
  });
  connect(search_, &RunSearch::accepted, this, [this] {
    if (filter_->rowCount() > 0) list_->setCurrentIndex(filter_->index(0, 0));
    list_->setFocus();
  });
  // A row is higher where it opens a section.
  const auto layOut = [this] { Q_EMIT list_->itemDelegate()->sizeHintChanged({}); };
  connect(filter_, &QAbstractItemModel::rowsInserted, this, layOut);
  connect(filter_, &QAbstractItemModel::rowsRemoved, this, layOut);
  connect(filter_, &QAbstractItemModel::layoutChanged, this, layOut);
  connect(filter_, &QAbstractItemModel::dataChanged, this, layOut);
  connect(list_->selectionModel(), &QItemSelectionModel::currentChanged, this,
          [this](const QModelIndex& current) {
            if (!current.isValid()) return;
            selected_ = current.data(RunModel::IdRole).toString();
            Q_EMIT runSelected(selected_);
          });
  list_->installEventFilter(this);
  list_->viewport()->installEventFilter(this);
}

void RunListPanel::select(const std::string& id) {
  const QSignalBlocker quiet(this);
  selected_ = QString::fromStdString(id);
  const auto matches = filter_->match(filter_->index(0, 0), RunModel::IdRole, selected_, 1, Qt::MatchExactly);
  list_->setCurrentIndex(matches.isEmpty() ? QModelIndex() : matches.first());
}

void RunListPanel::toggle(const QModelIndex& index) {
  const bool isChecked = index.data(Qt::CheckStateRole).toInt() == Qt::Checked;
  filter_->setData(index, isChecked ? Qt::Unchecked : Qt::Checked, Qt::CheckStateRole);
}

bool RunListPanel::eventFilter(QObject* watched, QEvent* event) {
  if (watched == list_ && event->type() == QEvent::KeyPress &&
      static_cast<QKeyEvent*>(event)->key() == Qt::Key_Space) {
    if (list_->currentIndex().isValid()) toggle(list_->currentIndex());
    return true;
  }
  if (watched == list_->viewport() && event->type() == QEvent::MouseButtonPress) {
    const auto* press = static_cast<QMouseEvent*>(event);
    const QModelIndex at = list_->indexAt(press->pos());
    if (press->button() == Qt::LeftButton && press->modifiers().testFlag(Qt::ControlModifier) &&
        at.isValid()) {
      toggle(at);
      return true;
    }
  }
  return QFrame::eventFilter(watched, event);
}

void RunListPanel::focusSearch() { search_->focus(); }

void RunListPanel::selectNeighbour(int offset) {
  const int rows = filter_->rowCount();
  if (rows == 0) return;
  const int row = std::clamp(list_->currentIndex().row() + offset, 0, rows - 1);
  list_->setCurrentIndex(filter_->index(row, 0));
}

}  // namespace batchscope::desktop
