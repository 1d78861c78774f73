// SPDX-License-Identifier: GPL-3.0-or-later
#include "runs/run_table_page.h"

#include <QHeaderView>
#include <QKeyEvent>
#include <QMenu>
#include <QPushButton>
#include <QSettings>
#include <QToolButton>
#include <algorithm>
#include <initializer_list>

#include "batchscope/common/number_text.h"
#include "look/box.h"
#include "look/menu_key.h"
#include "look/plain_table.h"
#include "runs/run_actions.h"
#include "runs/run_field_text.h"
#include "runs/run_filter_model.h"
#include "runs/run_model.h"
#include "runs/run_search.h"
#include "session/comparison.h"

namespace batchscope::desktop {
namespace {

constexpr int kTableRow = 28;

int widthOf(const std::string& field) {
  if (field == "name") return 240;
  const bool isTime = storage::field_type(field) == storage::FieldType::time;  // with its day
  if (isTime || field == "group" || field == "tag" || field == "state") return 112;
  return 90;
}

}  // namespace

RunTablePage::RunTablePage(RunModel* runs, Comparison* comparison, RunActions* actions, QWidget* parent)
    : QWidget(parent),
      runs_(runs),
      comparison_(comparison),
      actions_(actions),
      filter_(new RunFilterModel(runs, this)),
      search_(new RunSearch(runs, this)),
      table_(new PlainTable({}, this)),
      count_(named("dim", this)),
      compare_(new QPushButton(this)),
      columns_(new QToolButton(this)),
      columnMenu_(new QMenu(this)) {
  buildTable();
  QFrame* const frame = card(this);
  vbox(frame, {1, 2, 1, 6}, -1, {table_});
  const QString keys =
      tr("Space checks a run for comparison, Return opens it, F2 edits its name, group, tags or note, Del "
         "deletes it");
  vbox(this, {14, 12, 14, 12}, 10, {buildHead(), {frame, 1}, named("hint", this, keys)});

  connect(search_, &RunSearch::queryChanged, this, [this] {
    filter_->setQuery(search_->query());
    updateCounts();
  });
  connect(search_, &RunSearch::accepted, this, [this] {
    if (!table_->currentIndex().isValid() && filter_->rowCount() > 0) table_->selectRow(0);
    table_->setFocus();
  });
  connect(comparison_, &Comparison::changed, this, &RunTablePage::updateCounts);
  connect(filter_, &QAbstractItemModel::rowsInserted, this, &RunTablePage::updateCounts);
  connect(filter_, &QAbstractItemModel::rowsRemoved, this, &RunTablePage::updateCounts);
  connect(table_->selectionModel(), &QItemSelectionModel::selectionChanged, actions_, &RunActions::update);
  setFields(usualFields());
  sortBy("created", Qt::DescendingOrder);
  updateCounts();
}

QWidget* RunTablePage::buildHead() {
  auto* head = new QWidget(this);
  QLabel* title = named("runName", head, tr("Runs"));
  compare_->setObjectName(QStringLiteral("primary"));
  compare_->setProperty("isSmall", true);
  columns_->setText(tr("Columns"));
  columns_->setAccessibleName(tr("Columns"));
  columns_->setMenu(columnMenu_);
  columns_->setPopupMode(QToolButton::InstantPopup);
  connect(columnMenu_, &QMenu::aboutToShow, this, &RunTablePage::fillColumnMenu);
  connect(compare_, &QPushButton::clicked, this, &RunTablePage::compare);
  hbox(head, {}, 10,
       {{title, 0, Qt::AlignTop},
        {count_, 0, Qt::AlignTop},
        {search_, 1, Qt::AlignTop},
        {columns_, 0, Qt::AlignTop},
        {compare_, 0, Qt::AlignTop}});
  for (QWidget* widget : std::initializer_list<QWidget*>{title, count_, columns_, compare_})
    widget->setFixedHeight(search_->sizeHint().height());
  count_->setMinimumWidth(110);
  return head;
}

void RunTablePage::buildTable() {
  table_->setModel(filter_);
  table_->setObjectName(QStringLiteral("runTable"));
  table_->setAccessibleName(tr("All runs"));
  table_->setSelectionMode(QAbstractItemView::ExtendedSelection);
  table_->setEditTriggers(QAbstractItemView::EditKeyPressed);
  table_->setSortingEnabled(true);
  openMenuByKey(table_);
  table_->setIconSize({12, 12});
  table_->verticalHeader()->setDefaultSectionSize(kTableRow);
  table_->horizontalHeader()->setSectionsMovable(true);
  table_->horizontalHeader()->setFirstSectionMovable(false);
  table_->installEventFilter(this);
  table_->addAction(actions_->deleteAction());
  connect(table_, &QWidget::customContextMenuRequested, this, &RunTablePage::showContextMenu);
  connect(table_, &QAbstractItemView::clicked, this, [this](const QModelIndex& index) {
    if (index.column() == 0 && !filter_->sweepAt(index).isEmpty()) filter_->toggleFold(index);
  });
  connect(table_, &QAbstractItemView::doubleClicked, this, [this](const QModelIndex& index) {
    if (filter_->sweepAt(index).isEmpty()) openCurrent();
  });
}

void RunTablePage::setFields(const std::vector<std::string>& fields) {
  const std::string sorted = sortField();
  const Qt::SortOrder order = table_->horizontalHeader()->sortIndicatorOrder();
  runs_->setFields(fields);
  for (int column = 0; column < runs_->columnCount(); ++column)
    table_->setColumnWidth(column, widthOf(runs_->field(column)));
  sortBy(sorted, order);
}

std::string RunTablePage::sortField() const {
  const int column = table_->horizontalHeader()->sortIndicatorSection();
  return column >= 0 && column < runs_->columnCount() ? runs_->field(column) : std::string();
}

void RunTablePage::sortBy(const std::string& field, Qt::SortOrder order) {
  const auto& fields = runs_->fields();
  const auto found = std::find(fields.begin(), fields.end(), field);
  table_->sortByColumn(found == fields.end() ? -1 : static_cast<int>(found - fields.begin()), order);
}

void RunTablePage::fillColumnMenu() {
  columnMenu_->clear();
  std::vector<QMenu*> menus{columnMenu_->addMenu(tr("Run")), columnMenu_->addMenu(tr("Newest value of")),
                            columnMenu_->addMenu(tr("Hyperparameter"))};
  const auto isIn = [this](auto values, const std::string& name) {
    return std::any_of(runs_->runs().begin(), runs_->runs().end(),
                       [&](const storage::Run& run) { return (run.*values).contains(name); });
  };
  for (const std::string& name : storage::field_names(runs_->runs())) {
    if (name == "name") continue;
    const bool isFixed = storage::field_type(name) != storage::FieldType::open;
    const bool isSeries = isIn(&storage::Run::latest, name);
    if (!isFixed && !isSeries && !isIn(&storage::Run::hyperparameters, name)) continue;
    QAction* action = menus[isFixed ? 0 : isSeries ? 1 : 2]->addAction(QString::fromStdString(name));
    action->setCheckable(true);
    action->setChecked(std::find(runs_->fields().begin(), runs_->fields().end(), name) !=
                       runs_->fields().end());
    connect(action, &QAction::toggled, this, [this, name](bool isShown) {
      std::vector<std::string> fields = runs_->fields();
      std::erase(fields, name);
      if (isShown) fields.push_back(name);
      setFields(fields);
    });
  }
  for (QMenu* menu : menus) menu->setEnabled(!menu->isEmpty());
  columnMenu_->addSeparator();
  columnMenu_->addAction(tr("Default columns"), this, [this] { setFields(usualFields()); });
}

QStringList RunTablePage::selectedIds() const {
  QStringList ids;
  for (const QModelIndex& row : table_->selectionModel()->selectedRows())
    ids << row.data(RunModel::IdRole).toString();
  ids.removeAll(QString());  // rows of sweeps
  return ids;
}

// All as the current one is not.
void RunTablePage::toggleSelected() {
  const QModelIndex current = table_->currentIndex();
  if (!current.isValid()) return;
  if (!filter_->sweepAt(current).isEmpty()) return filter_->toggleFold(current);
  const bool isChosen = !comparison_->isChosen(current.data(RunModel::IdRole).toString().toStdString());
  for (const QString& id : selectedIds()) comparison_->choose(id.toStdString(), isChosen);
}

void RunTablePage::openCurrent() {
  const QModelIndex current = table_->currentIndex();
  if (!filter_->sweepAt(current).isEmpty()) return filter_->toggleFold(current);
  if (current.isValid()) Q_EMIT runOpened(current.data(RunModel::IdRole).toString());
}

// Opens one of the checked ones, beside which the others are drawn; where there is one alone, the open one.
void RunTablePage::compare() {
  if (comparison_->chosenCount() == 1) {
    Q_EMIT runOpened(QString::fromStdString(comparison_->members().front().id));
    return;
  }
  const QString current = table_->currentIndex().data(RunModel::IdRole).toString();
  if (comparison_->isChosen(current.toStdString())) {
    Q_EMIT runOpened(current);
    return;
  }
  const auto first = std::find_if(runs_->runs().begin(), runs_->runs().end(),
                                  [this](const storage::Run& run) { return comparison_->isChosen(run.id); });
  if (first != runs_->runs().end()) Q_EMIT runOpened(QString::fromStdString(first->id));
}

void RunTablePage::showContextMenu(const QPoint& place) {
  const QModelIndex at = table_->indexAt(place);
  if (!at.isValid()) return;
  QMenu menu(this);
  if (const QString sweep = filter_->sweepAt(at); !sweep.isEmpty()) {
    menu.addAction(tr("Open the sweep"), this, [this, sweep] { Q_EMIT sweepOpened(sweep); });
    menu.addAction(tr("Fold or unfold its trials"), this,
                   [this, row = QPersistentModelIndex(at)] { filter_->toggleFold(row); });
    menu.exec(table_->viewport()->mapToGlobal(place));
    return;
  }
  const std::string group = runs_->at(filter_->mapToSource(at).row()).spec.group;
  menu.addAction(tr("Open"), this, &RunTablePage::openCurrent);
  menu.addAction(tr("Check or uncheck for comparison"), this, &RunTablePage::toggleSelected);
  if (!group.empty()) {
    menu.addAction(tr("Check the whole group %1").arg(QString::fromStdString(group)), this, [this, group] {
      for (const storage::Run& run : runs_->runs())
        if (run.spec.group == group) comparison_->choose(run.id, true);
    });
  }
  menu.addSeparator();
  const QPersistentModelIndex cell = at;  // runs come and go while the menu is open
  QAction* edit = menu.addAction(tr("Edit this cell"), this, [this, cell] { table_->edit(cell); });
  edit->setEnabled(at.flags().testFlag(Qt::ItemIsEditable));
  menu.addAction(actions_->cloneAction());
  actions_->fill(&menu);
  menu.exec(table_->viewport()->mapToGlobal(place));
}

void RunTablePage::updateCounts() {
  const int all = static_cast<int>(runs_->runs().size()), shown = filter_->passing();
  count_->setText(shown == all ? tr("%1").arg(common::formatCount(all))
                               : tr("%1 of %2").arg(common::formatCount(shown), common::formatCount(all)));
  table_->setEmptyText(all == 0 ? tr("No runs yet. Ctrl+N starts one, and Ctrl+D the demo.")
                                : tr("No run matches the search. Esc clears it."));
  // One that is checked is compared with the open one.
  const auto compared =
      std::max(comparison_->chosenCount(), std::min<std::size_t>(2, comparison_->members().size()));
  compare_->setText(compared < 2 ? tr("Compare") : tr("Compare %1 runs").arg(compared));
  compare_->setToolTip(compared < 2 ? tr("Check two runs or more with Space") : QString());
  compare_->setEnabled(compared >= 2);
}

void RunTablePage::focusSearch() { search_->focus(); }

void RunTablePage::select(const std::string& id) {
  if (const QModelIndex found = filter_->findShown(id); found.isValid()) table_->selectRow(found.row());
}

bool RunTablePage::pressKey(int key) {
  switch (key) {
    case Qt::Key_Space: toggleSelected(); return true;
    case Qt::Key_Return:
    case Qt::Key_Enter: openCurrent(); return true;
    case Qt::Key_Right:
    case Qt::Key_Left: {
      const QModelIndex current = table_->currentIndex();
      // Elsewhere these keys go from cell to cell.
      if (current.column() != 0) return false;
      const QModelIndex sweep = filter_->setFolded(current.siblingAtColumn(0), key == Qt::Key_Left);
      if (sweep.isValid() && key == Qt::Key_Left) table_->setCurrentIndex(sweep);
      return sweep.isValid();
    }
    default: return false;
  }
}

bool RunTablePage::eventFilter(QObject* watched, QEvent* event) {
  // Not the Return that ends an edit, which the editor passes on.
  if (watched == table_ && event->type() == QEvent::KeyPress && table_->hasFocus()) {
    if (pressKey(static_cast<QKeyEvent*>(event)->key())) return true;
  }
  return QWidget::eventFilter(watched, event);
}

void RunTablePage::showEvent(QShowEvent* event) {
  QWidget::showEvent(event);
  table_->setFocus();
}

void RunTablePage::save(QSettings& settings) const {
  QStringList fields;
  for (const std::string& field : runs_->fields()) fields << QString::fromStdString(field);
  settings.setValue(QStringLiteral("runs/columns"), fields);
  settings.setValue(QStringLiteral("runs/sort"), QString::fromStdString(sortField()));
  settings.setValue(QStringLiteral("runs/descending"),
                    table_->horizontalHeader()->sortIndicatorOrder() == Qt::DescendingOrder);
}

void RunTablePage::restore(const QSettings& settings) {
  std::vector<std::string> fields;
  for (const QString& field : settings.value(QStringLiteral("runs/columns")).toStringList())
    fields.push_back(field.toStdString());
  if (fields.empty()) return;
  setFields(fields);
  sortBy(
      settings.value(QStringLiteral("runs/sort")).toString().toStdString(),
      settings.value(QStringLiteral("runs/descending")).toBool() ? Qt::DescendingOrder : Qt::AscendingOrder);
}

}  // namespace batchscope::desktop
