// SPDX-License-Identifier: GPL-3.0-or-later
#include "run_list_panel.h"

#include <QLineEdit>
#include <QListView>
#include <QVBoxLayout>
#include <algorithm>

#include "run_list_delegate.h"
#include "run_list_model.h"

namespace batchscope::desktop {

RunListPanel::RunListPanel(QWidget* parent)
    : QFrame(parent),
      search_(new QLineEdit(this)),
      list_(new QListView(this)),
      model_(new RunListModel(this)),
      filter_(new RunFilterModel(this)) {
  setObjectName(QStringLiteral("leftPanel"));
  setMinimumWidth(200);
  search_->setPlaceholderText(tr("Find runs"));
  search_->setAccessibleName(tr("Find runs"));
  search_->setToolTip(tr("Words of a run's name, id or state"));
  search_->setClearButtonEnabled(true);
  filter_->setSourceModel(model_);
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

  connect(search_, &QLineEdit::textChanged, filter_, &RunFilterModel::setWords);
  connect(search_, &QLineEdit::returnPressed, this, [this] {
    if (filter_->rowCount() > 0) list_->setCurrentIndex(filter_->index(0, 0));
    list_->setFocus();
  });
  connect(list_->selectionModel(), &QItemSelectionModel::currentChanged, this,
          [this](const QModelIndex& current) {
            if (current.isValid()) Q_EMIT runSelected(current.data(RunListModel::IdRole).toString());
          });
}

void RunListPanel::setRuns(const std::vector<storage::Run>& runs) {
  model_->setRuns(runs);
  // A row is higher where it opens a section.
  Q_EMIT list_->itemDelegate()->sizeHintChanged({});
}

void RunListPanel::setStatus(const protocol::RunStatus& status) { model_->setStatus(status); }

void RunListPanel::select(const std::string& id) {
  const auto matches = filter_->match(filter_->index(0, 0), RunListModel::IdRole, QString::fromStdString(id),
                                      1, Qt::MatchExactly);
  if (!matches.isEmpty()) list_->setCurrentIndex(matches.first());
}

void RunListPanel::focusSearch() {
  search_->setFocus();
  search_->selectAll();
}

void RunListPanel::selectNeighbour(int offset) {
  const int rows = filter_->rowCount();
  if (rows == 0) return;
  const int row = std::clamp(list_->currentIndex().row() + offset, 0, rows - 1);
  list_->setCurrentIndex(filter_->index(row, 0));
}

}  // namespace batchscope::desktop
