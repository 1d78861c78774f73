// SPDX-License-Identifier: GPL-3.0-or-later
#include "runs/run_list_panel.h"

#include <QKeyEvent>
#include <QListView>
#include <QMenu>
#include <QPainter>
#include <QSignalBlocker>
#include <QStyledItemDelegate>
#include <algorithm>

#include "look/box.h"
#include "look/menu_key.h"
#include "look/swatch.h"
#include "look/theme.h"
#include "runs/run_actions.h"
#include "runs/run_filter_model.h"
#include "runs/run_model.h"
#include "runs/run_search.h"

namespace batchscope::desktop {
namespace {

constexpr int kListRow = 48, kHeading = 30;

bool opensSection(const QModelIndex& index) {
  return index.row() == 0 ||
         index.data(RunModel::SectionRole) != index.siblingAtRow(index.row() - 1).data(RunModel::SectionRole);
}

// Draws one run of the list: dot, name, badge, detail. A row that opens a section carries its heading above.
class RunListDelegate : public QStyledItemDelegate {
 public:
  using QStyledItemDelegate::QStyledItemDelegate;

  QSize sizeHint(const QStyleOptionViewItem&, const QModelIndex& index) const override {
    return {100, kListRow + 2 + (opensSection(index) ? kHeading : 0)};
  }
  void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override {
    const Theme& theme = Theme::current();
    painter->save();
    painter->setRenderHint(QPainter::Antialiasing);
    QRect row = option.rect;
    if (opensSection(index)) {
      const QRect heading(row.left(), row.top(), row.width(), kHeading);
      painter->setFont(interfaceFont(11, QFont::Bold));
      painter->setPen(theme.dim);
      painter->drawText(heading.adjusted(0, 4, 0, 0), Qt::AlignLeft | Qt::AlignVCenter,
                        index.data(RunModel::SectionRole).toString());
      row.setTop(row.top() + kHeading);
    }
    row.setHeight(kListRow);
    const bool isSelected = option.state.testFlag(QStyle::State_Selected);
    if (isSelected || option.state.testFlag(QStyle::State_MouseOver)) {
      painter->setPen(Qt::NoPen);
      painter->setBrush(isSelected ? theme.selection : theme.grid);
      painter->drawRoundedRect(row, 6, 6);
    }
    if (isSelected && option.state.testFlag(QStyle::State_HasFocus)) {
      painter->setBrush(Qt::NoBrush);
      painter->setPen(QPen(theme.accent, 1));
      painter->drawRoundedRect(QRectF(row).adjusted(0.5, 0.5, -0.5, -0.5), 6, 6);
    }
    painter->setPen(Qt::NoPen);
    if (const QVariant colour = index.data(RunModel::ColourRole); colour.isValid()) {
      painter->setBrush(colour.value<QColor>());
      painter->drawRoundedRect(QRectF(row.left(), row.top() + 8, 3, row.height() - 16), 1.5, 1.5);
    }
    painter->setBrush(stateColour(index.data(RunModel::StateRole).toString(), theme));
    painter->drawEllipse(QPointF(row.left() + 13, row.top() + 16), 4, 4);

    const QRect text = row.adjusted(27, 8, -10, -8);
    const QString badge = index.data(RunModel::BadgeRole).toString();
    painter->setFont(interfaceFont(11));
    painter->setPen(theme.dim);
    painter->drawText(text, Qt::AlignRight | Qt::AlignTop, badge);
    const QString detail = index.data(RunModel::DetailRole).toString();
    painter->drawText(text, Qt::AlignLeft | Qt::AlignBottom,
                      painter->fontMetrics().elidedText(detail, Qt::ElideRight, text.width()));
    const int room = text.width() - painter->fontMetrics().horizontalAdvance(badge) - 8;
    painter->setFont(interfaceFont(13));
    painter->setPen(theme.text);
    painter->drawText(text.adjusted(0, -2, 0, 0), Qt::AlignLeft | Qt::AlignTop,
                      painter->fontMetrics().elidedText(index.data().toString(), Qt::ElideRight, room));
    painter->restore();
  }

 protected:
  // The check is the panel's: there is no box to hit here.
  bool editorEvent(QEvent*, QAbstractItemModel*, const QStyleOptionViewItem&, const QModelIndex&) override {
    return false;
  }
};

}  // namespace

RunListPanel::RunListPanel(RunModel* runs, RunActions* actions, QWidget* parent)
    : QFrame(parent),
      actions_(actions),
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
  list_->setSelectionMode(QAbstractItemView::ExtendedSelection);
  openMenuByKey(list_);
  connect(list_, &QWidget::customContextMenuRequested, this, &RunListPanel::showContextMenu);
  list_->addAction(actions_->deleteAction());

  vbox(this, {10, 10, 10, 8}, 4, {search_, {list_, 1}});

  // Searching does not open another run, also where the open one does not pass.
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
            const QString id = current.data(RunModel::IdRole).toString();
            if (id.isEmpty()) return;
            selected_ = id;
            Q_EMIT runSelected(selected_);
          });
  connect(list_->selectionModel(), &QItemSelectionModel::selectionChanged, actions_, &RunActions::update);
  connect(list_, &QAbstractItemView::clicked, this, [this](const QModelIndex& index) {
    if (!filter_->sweepAt(index).isEmpty()) filter_->toggleFold(index);
  });
  list_->installEventFilter(this);
  list_->viewport()->installEventFilter(this);
}

void RunListPanel::select(const std::string& id) {
  const QSignalBlocker quiet(this);
  selected_ = QString::fromStdString(id);
  const QModelIndex found = filter_->findShown(id);
  if (found != list_->currentIndex()) list_->setCurrentIndex(found);
}

QStringList RunListPanel::selectedIds() const {
  QStringList ids;
  for (const QModelIndex& row : list_->selectionModel()->selectedIndexes())
    ids << row.data(RunModel::IdRole).toString();
  ids.removeAll(QString());  // rows of sweeps
  return ids;
}

void RunListPanel::showContextMenu(const QPoint& place) {
  const QModelIndex at = list_->indexAt(place);
  if (!at.isValid()) return;
  QMenu menu(this);
  if (const QString sweep = filter_->sweepAt(at); !sweep.isEmpty()) {
    menu.addAction(tr("Open the sweep"), this, [this, sweep] { Q_EMIT sweepOpened(sweep); });
    menu.addAction(tr("Fold or unfold its trials"), this,
                   [this, row = QPersistentModelIndex(at)] { filter_->toggleFold(row); });
    menu.exec(list_->viewport()->mapToGlobal(place));
    return;
  }
  menu.addAction(actions_->cloneAction());
  actions_->fill(&menu);
  menu.exec(list_->viewport()->mapToGlobal(place));
}

void RunListPanel::toggle(const QModelIndex& index) {
  if (!filter_->sweepAt(index).isEmpty()) return filter_->toggleFold(index);
  const bool isChecked = index.data(Qt::CheckStateRole).toInt() == Qt::Checked;
  filter_->setData(index, isChecked ? Qt::Unchecked : Qt::Checked, Qt::CheckStateRole);
}

bool RunListPanel::pressKey(int key) {
  const QModelIndex current = list_->currentIndex();
  switch (key) {
    case Qt::Key_Space:
      if (current.isValid()) toggle(current);
      return true;
    case Qt::Key_Return:
    case Qt::Key_Enter:
      if (filter_->sweepAt(current).isEmpty()) return false;
      toggle(current);
      return true;
    case Qt::Key_Right:
    case Qt::Key_Left: {
      const QModelIndex sweep = filter_->setFolded(current, key == Qt::Key_Left);
      if (sweep.isValid() && key == Qt::Key_Left) list_->setCurrentIndex(sweep);
      return sweep.isValid();
    }
    default: return false;
  }
}

bool RunListPanel::eventFilter(QObject* watched, QEvent* event) {
  if (watched == list_ && event->type() == QEvent::KeyPress &&
      pressKey(static_cast<QKeyEvent*>(event)->key()))
    return true;
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
  const auto next = [&](int row) { return std::clamp(row + offset, 0, rows - 1); };
  int row = next(list_->currentIndex().row());
  while (!filter_->sweepAt(filter_->index(row, 0)).isEmpty() && next(row) != row) row = next(row);
  list_->setCurrentIndex(filter_->index(row, 0));
}

}  // namespace batchscope::desktop
