// SPDX-License-Identifier: GPL-3.0-or-later
#include "sweep/sweep_page.h"

#include <QApplication>
#include <QClipboard>
#include <QComboBox>
#include <QGridLayout>
#include <QHeaderView>
#include <QKeyEvent>
#include <QLineEdit>
#include <QMenu>
#include <QPushButton>
#include <QSignalBlocker>
#include <QSplitter>
#include <QStackedWidget>
#include <QToolButton>
#include <algorithm>
#include <set>

#include "batchscope/common/number_text.h"
#include "batchscope/common/sweep_progress.h"
#include "batchscope/common/sweep_text.h"
#include "figure/figure.h"
#include "look/box.h"
#include "look/elided_label.h"
#include "look/menu_key.h"
#include "look/plain_table.h"
#include "look/quiet_wheel.h"
#include "look/segments.h"
#include "session/comparison.h"
#include "session/sweep_session.h"
#include "sweep/parallel_plot.h"
#include "sweep/sweep_bar.h"
#include "sweep/sweep_figures.h"
#include "sweep/sweep_questions.h"
#include "sweep/sweep_starter.h"
#include "sweep/sweep_totals.h"
#include "sweep/trial_model.h"

namespace batchscope::desktop {
namespace {

constexpr int kRefreshEvery = 300,
              kLongInterval = 1000;  // ms between two refreshments of few trials, and of many
constexpr std::size_t kMany = 200;
constexpr int kTrialHeight = 26, kColumn = 116, kStateColumn = 172;
constexpr int kFigureHeight = 216, kFourAcross = 1150;
constexpr int kQuantity = 104;  // pixels of a chooser

QComboBox* quantityChooser(const QString& name, QWidget* parent) {
  auto* box = new QComboBox(parent);
  box->setAccessibleName(name);
  box->setToolTip(name);
  box->setFixedWidth(kQuantity);
  ignoreWheel(box);
  return box;
}

}  // namespace

SweepPage::SweepPage(SweepSession* session, Comparison* comparison, QWidget* parent)
    : QWidget(parent),
      session_(session),
      comparison_(comparison),
      starter_(new SweepStarter(this)),
      model_(new TrialModel(this)),
      filter_(new TrialFilter(model_, this)),
      bar_(new SweepBar(this)),
      totals_(new SweepTotals(this)),
      pages_(new QStackedWidget(this)),
      content_(new QWidget(this)),
      fault_(named("complaint", this)) {
  invitation_ = buildInvitation();
  auto* parts = new QSplitter(Qt::Vertical, content_);
  parts->setHandleWidth(10);
  parts->setChildrenCollapsible(false);
  parts->addWidget(buildPlot());
  parts->addWidget(buildFigures());
  parts->addWidget(buildTable());
  for (int part = 0; part < 3; ++part) parts->setStretchFactor(part, part == 1 ? 0 : 1);
  vbox(content_, {}, 10, {totals_, {parts, 1}});
  fault_->setWordWrap(true);
  fault_->setAlignment(Qt::AlignTop | Qt::AlignLeft);
  fault_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  for (QWidget* page : {invitation_, static_cast<QWidget*>(fault_), content_}) pages_->addWidget(page);
  vbox(this, {14, 12, 14, 12}, 10, {bar_, {pages_, 1}});

  timer_.setSingleShot(true);
  timer_.setInterval(kRefreshEvery);
  connect(&timer_, &QTimer::timeout, this, &SweepPage::refresh);
  connect(session_, &SweepSession::changed, this, [this] {
    if (!isVisible()) return;
    const bool isOther = !shown_ || shown_->name != session_->snapshot()->name;
    if (isOther) return refresh();
    if (!timer_.isActive()) timer_.start();
  });
  connect(starter_, &SweepStarter::said, this, &SweepPage::said);
  connect(starter_, &SweepStarter::begun, this, [this] { session_->choose({}); });
  connectBar();
  refresh();
}

QTableView* SweepPage::table() const { return table_; }

void SweepPage::connectBar() {
  connect(bar_, &SweepBar::chosen, this,
          [this](const QString& name) { session_->choose(name.toStdString()); });
  connect(bar_, &SweepBar::newRequested, starter_, &SweepStarter::chooseFile);
  connect(bar_, &SweepBar::bestRequested, this, &SweepPage::copyBest);
  const auto change = [this](auto deed) {
    session_->change([deed, name = shown_->name](storage::Catalogue& catalogue) { deed(catalogue, name); });
  };
  connect(bar_, &SweepBar::pauseRequested, this, [change] { change(sweep::pause); });
  connect(bar_, &SweepBar::resumeRequested, this, [change] { change(sweep::resume); });
  connect(bar_, &SweepBar::stopRequested, this, [this] { askToStop(session_, shown_->name, window()); });
  connect(bar_, &SweepBar::moreRequested, this, [this] {
    if (shown_->view) askForMore(session_, shown_->view->file, window());
  });
}

QWidget* SweepPage::buildInvitation() {
  auto* page = new QWidget(this);
  auto* words = named(
      "dim", page,
      tr("A sweep trains one program with many values of its hyperparameters, stops bad trials early, and "
         "finds the best.\nA file says what is trained, what is searched, and until when. In a terminal:"));
  auto* command = named("keys", page, QStringLiteral("batchscope sweep run FILE.toml"));
  command->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
  auto* begin = new QPushButton(tr("Begin a sweep …"), page);
  begin->setObjectName(QStringLiteral("primary"));
  connect(begin, &QPushButton::clicked, starter_, &SweepStarter::chooseFile);
  words->setAlignment(Qt::AlignCenter);
  vbox(page, {}, 14,
       {rest(),
        {named("runName", page, tr("No sweeps yet")), 0, Qt::AlignHCenter},
        {words, 0, Qt::AlignHCenter},
        {command, 0, Qt::AlignHCenter},
        {begin, 0, Qt::AlignHCenter},
        rest()});
  return page;
}

QWidget* SweepPage::buildPlot() {
  plot_ = new ParallelPlot(this);
  auto* frame = card(this);
  auto* how = new UnitLabel(
      tr("stronger lines are better trials, the best is orange · drag along an axis to select a range"),
      frame);
  clear_ = new QToolButton(frame);
  clear_->setText(tr("Clear brushes"));
  clear_->setToolTip(tr("Shows all trials again (Shift+Delete in the plot)"));
  clear_->setFocusPolicy(Qt::TabFocus);
  connect(clear_, &QToolButton::clicked, plot_, &ParallelPlot::clearBrushes);
  vbox(frame, {1, 7, 1, 3}, 2,
       {hbox(nullptr, {12, 0, 10, 0}, 7,
             {named("chartTitle", frame, tr("Parallel coordinates")), {how, 1}, clear_}),
        {plot_, 1}});
  connect(plot_, &ParallelPlot::brushed, this, &SweepPage::applyFilter);
  connect(plot_, &ParallelPlot::hovered, this, [this](std::optional<std::size_t> trial) {
    hover(trial);
    if (trial && rowOf(*trial) >= 0) table_->scrollTo(filter_->index(rowOf(*trial), 0));
  });
  connect(plot_, &ParallelPlot::clicked, this, [this](std::size_t trial, Qt::KeyboardModifiers modifiers) {
    select(trial, modifiers & (Qt::ControlModifier | Qt::ShiftModifier));
  });
  connect(plot_, &ParallelPlot::opened, this, &SweepPage::open);
  return frame;
}

QFrame* SweepPage::figureCard(const QString& title, const QString& how, Figure*& figure, QWidget* choice) {
  auto* frame = card(figures_);
  figure = new Figure(frame);
  figure->setAccessibleName(title);
  figure->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Ignored);
  QLabel* head = named("chartTitle", frame, title);
  head->setToolTip(how);
  QHBoxLayout* top = hbox(nullptr, {12, 0, 8, 0}, 6, {head, rest()});
  if (choice != nullptr) top->addWidget(choice);
  head->setMinimumHeight(24);
  vbox(frame, {1, 6, 1, 4}, 2, {top, {figure, 1}});
  frame->setMinimumHeight(kFigureHeight);
  cards_.push_back(frame);
  return frame;
}

QWidget* SweepPage::buildFigures() {
  figures_ = new QWidget(this);
  grid_ = new QGridLayout(figures_);
  grid_->setContentsMargins(0, 0, 0, 0);
  grid_->setSpacing(10);
  figureCard(tr("Learning curves"),
             tr("The value of each trial at each rung; those that were stopped there are pale"), curves_,
             nullptr);
  budget_ = new Segments({tr("Time"), tr("Devices")}, figures_);
  budget_->at(0)->setToolTip(tr("Over the time since the sweep began"));
  budget_->at(1)->setToolTip(tr("Over the training time of its trials, times the devices that they had"));
  figureCard(tr("Best so far"), tr("The best value of any trial at any rung, by when it was known"), best_,
             budget_);
  auto* choosers = new QWidget(figures_);
  y_ = quantityChooser(tr("Upward"), choosers);
  x_ = quantityChooser(tr("Across"), choosers);
  hbox(choosers, {}, 5, {y_, named("dim", choosers, tr("over")), x_});
  figureCard(tr("Scatter"), tr("Each trial by two of its quantities; stronger dots are better trials"),
             scatter_, choosers);
  figureCard(
      tr("Importance"),
      tr("PED-ANOVA (Watanabe, Bansal and Hutter, IJCAI 2023): how well each parameter alone explains\n"
         "which trials are among the best tenth. A parameter has 0 if the best trials prefer none of its "
         "values."),
      importance_, nullptr);
  connect(budget_, &Segments::chosenByHand, this, &SweepPage::refreshFigures);
  for (QComboBox* box : {x_, y_}) connect(box, &QComboBox::activated, this, &SweepPage::refreshFigures);
  arrange(4);
  return figures_;
}

QWidget* SweepPage::buildTable() {
  table_ = new PlainTable({}, this);
  table_->setModel(filter_);
  table_->setObjectName(QStringLiteral("trialTable"));
  table_->setAccessibleName(tr("Trials of the sweep"));
  table_->setSelectionMode(QAbstractItemView::ExtendedSelection);
  table_->setSortingEnabled(true);
  table_->setIconSize({12, 12});
  table_->setMouseTracking(true);
  table_->verticalHeader()->setDefaultSectionSize(kTrialHeight);
  openMenuByKey(table_);
  table_->installEventFilter(this);
  table_->viewport()->installEventFilter(this);
  connect(table_, &QWidget::customContextMenuRequested, this, &SweepPage::showContextMenu);
  connect(table_, &QAbstractItemView::doubleClicked, this, &SweepPage::openCurrent);
  connect(table_, &QAbstractItemView::entered, this, [this](const QModelIndex& index) {
    hover(static_cast<std::size_t>(filter_->mapToSource(index).row()));
  });
  connect(table_->selectionModel(), &QItemSelectionModel::selectionChanged, this, &SweepPage::updateActions);

  auto* frame = card(this);
  text_ = new QLineEdit(frame);
  text_->setPlaceholderText(tr("Filter trials by words"));
  text_->setAccessibleName(tr("Filter the trials"));
  text_->setToolTip(tr("Only trials with all of these words in their row, such as \"adascale finished\""));
  text_->setClearButtonEnabled(true);
  text_->setMaximumWidth(320);
  connect(text_, &QLineEdit::textChanged, this, &SweepPage::applyFilter);
  const auto tool = [&](const QString& words, const QString& toolTip, auto pressed) {
    auto* button = new QToolButton(frame);
    button->setText(words);
    button->setToolTip(toolTip);
    button->setFocusPolicy(Qt::TabFocus);
    connect(button, &QToolButton::clicked, this, pressed);
    return button;
  };
  compare_ =
      tool(tr("Compare"), tr("Draws the selected trials' runs in one set of charts"), &SweepPage::compare);
  open_ = tool(tr("Open"), tr("The charts of its run (Return)"), &SweepPage::openCurrent);
  count_ = named("dim", frame);
  vbox(frame, {1, 7, 1, 6}, 4,
       {hbox(nullptr, {12, 0, 10, 0}, 8,
             {named("chartTitle", frame, tr("Trials")), count_, gap(8), {text_, 1}, rest(), compare_, open_}),
        {table_, 1}});
  frame->setMinimumHeight(150);
  return frame;
}

void SweepPage::arrange(int columns) {
  if (columns == columns_) return;
  columns_ = columns;
  for (QWidget* each : cards_) grid_->removeWidget(each);
  for (int i = 0; i < static_cast<int>(cards_.size()); ++i)
    grid_->addWidget(cards_[static_cast<std::size_t>(i)], i / columns, i % columns);
  for (int column = 0; column < 4; ++column) grid_->setColumnStretch(column, column < columns ? 1 : 0);
}

// A page that is not shown asks for no room.
void SweepPage::showPage(QWidget* page) {
  for (int i = 0; i < pages_->count(); ++i) {
    const auto policy = pages_->widget(i) == page ? QSizePolicy::Preferred : QSizePolicy::Ignored;
    pages_->widget(i)->setSizePolicy(policy, policy);
  }
  pages_->setCurrentWidget(page);
}

void SweepPage::refresh() {
  shown_ = session_->snapshot();
  bar_->setSnapshot(*shown_);
  if (!shown_->view) {
    fault_->setText(shown_->fault);
    showPage(shown_->fault.isEmpty() ? invitation_ : fault_);
    model_->setView({});
    return;
  }
  showPage(content_);
  const sweep::SweepView& view = *shown_->view;
  timer_.setInterval(view.trials.size() > kMany ? kLongInterval : kRefreshEvery);
  ranks_ = ranksOf(view);
  totals_->setView(view);
  quantities_ = parameterAxes(view);
  quantities_.push_back(metricAxis(view));
  std::vector<ParallelPlot::Line> lines;
  for (std::size_t trial = 0; trial < view.trials.size(); ++trial)
    lines.push_back({ranks_[trial], common::trialText(view, trial)});
  plot_->setTrials(quantities_, std::move(lines), view.best);
  quantities_.push_back(deviceTimeAxis(view));
  const bool isOther = sorted_ != shown_->name;
  const bool isFirst = isOther || model_->rowCount() == 0;
  model_->setView({shown_, &view});
  if (isFirst) layOutColumns();
  if (isOther)
    table_->sortByColumn(model_->valueColumn(),
                         view.file.goal == sweep::Goal::min ? Qt::AscendingOrder : Qt::DescendingOrder);
  sorted_ = shown_->name;
  table_->setEmptyText(view.trials.empty() ? tr("No trial has begun yet.")
                                           : tr("No trial lies within the brushes and has these words."));
  fillQuantities();
  applyFilter();
  refreshFigures();
}

// Makes columns as wide as what is there, and as what is to come: the first trials have no values.
void SweepPage::layOutColumns() {
  table_->resizeColumnsToContents();
  for (int column = 1; column < model_->columnCount(); ++column)
    table_->setColumnWidth(column,
                           std::max(table_->columnWidth(column), column == 1 ? kStateColumn : kColumn));
}

void SweepPage::refreshFigures() {
  if (!shown_ || !shown_->view) return;
  const sweep::SweepView& view = *shown_->view;
  curves_->setData(learningCurves(view, ranks_));
  best_->setData(bestSoFar(view, budget_->chosen() == 0 ? Budget::WallTime : Budget::DeviceTime));
  importance_->setData(importanceBars(view, shown_->importance));
  const auto at = [this](const QComboBox* box) { return static_cast<std::size_t>(box->currentIndex()); };
  scatter_->setData(scatter(view, quantities_[at(x_)], quantities_[at(y_)], ranks_));
}

// The chosen quantities stay so.
void SweepPage::fillQuantities() {
  QStringList names;
  for (const TrialAxis& quantity : quantities_) names << quantity.name;
  const auto metric = static_cast<int>(names.size()) - 2;
  for (QComboBox* box : {x_, y_}) {
    QStringList previousNames;
    for (int i = 0; i < box->count(); ++i) previousNames << box->itemText(i);
    if (previousNames == names) continue;
    const int chosen = static_cast<int>(names.indexOf(box->currentText()));
    const QSignalBlocker quiet(box);
    box->clear();
    box->addItems(names);
    box->setCurrentIndex(chosen >= 0 ? chosen : box == y_ ? metric : 0);
  }
}

void SweepPage::applyFilter() {
  if (!shown_ || !shown_->view) return;
  const std::size_t trials = shown_->view->trials.size();
  filter_->setBrushed(plot_->brushes().kept(plot_->axes(), trials));
  filter_->setText(text_->text());
  plot_->setKept(filter_->shown(trials));
  const int shownRows = filter_->rowCount(), allRows = model_->rowCount();
  count_->setText(shownRows == allRows
                      ? common::formatCount(allRows)
                      : tr("%1 of %2").arg(common::formatCount(shownRows), common::formatCount(allRows)));
  clear_->setEnabled(!plot_->brushes().isEmpty());
  updateActions();
}

std::vector<std::size_t> SweepPage::selectedTrials() const {
  std::vector<std::size_t> trials;
  for (const QModelIndex& index : table_->selectionModel()->selectedRows())
    trials.push_back(static_cast<std::size_t>(filter_->mapToSource(index).row()));
  std::sort(trials.begin(), trials.end());
  return trials;
}

void SweepPage::updateActions() {
  const auto trials = selectedTrials();
  plot_->setSelected({trials.begin(), trials.end()});
  compare_->setText(trials.size() < 2 ? tr("Compare") : tr("Compare %1 trials").arg(trials.size()));
  compare_->setEnabled(trials.size() >= 2);
  open_->setEnabled(table_->currentIndex().isValid());
}

int SweepPage::rowOf(std::size_t trial) const {
  return filter_->mapFromSource(model_->index(static_cast<int>(trial), 0)).row();
}

void SweepPage::hover(std::optional<std::size_t> trial) {
  model_->setHovered(trial);
  plot_->setHovered(trial);
}

void SweepPage::select(std::size_t trial, bool isAdded) {
  const int row = rowOf(trial);
  if (row < 0) return;
  table_->selectionModel()->setCurrentIndex(
      filter_->index(row, 0), QItemSelectionModel::Rows | (isAdded ? QItemSelectionModel::Toggle
                                                                   : QItemSelectionModel::ClearAndSelect));
}

void SweepPage::open(std::size_t trial) {
  const std::vector<std::string>& runs = shown_->view->trials[trial].runs;
  const auto run = std::ranges::find_if(runs, [](const std::string& id) { return !id.empty(); });
  if (run == runs.end()) {
    Q_EMIT said(tr("The run of trial %1 is not there any more.").arg(trial));
  } else {
    Q_EMIT runOpened(QString::fromStdString(*run));
  }
}

void SweepPage::openCurrent() {
  const QModelIndex current = table_->currentIndex();
  if (current.isValid()) open(static_cast<std::size_t>(filter_->mapToSource(current).row()));
}

void SweepPage::compare() {
  std::vector<std::string> ids;
  for (const std::size_t trial : selectedTrials())
    for (const std::string& run : shown_->view->trials[trial].runs)
      if (!run.empty()) ids.push_back(run);
  if (ids.empty()) {
    Q_EMIT said(tr("The runs of these trials are not there any more."));
    return;
  }
  comparison_->choose(ids);
  Q_EMIT runOpened(QString::fromStdString(ids.front()));
}

void SweepPage::copyBest() {
  if (!shown_->view || !shown_->view->best) return;
  QApplication::clipboard()->setText(QString::fromStdString(common::bestCommandLine(*shown_->view)));
  Q_EMIT said(tr("Copied the command that trains with the parameters of trial %1.").arg(*shown_->view->best));
}

void SweepPage::showContextMenu(const QPoint& place) {
  if (!table_->indexAt(place).isValid()) return;
  QMenu menu(this);
  for (const QToolButton* button : {open_, compare_})
    menu.addAction(button->text(), button, &QToolButton::click)->setEnabled(button->isEnabled());
  menu.exec(table_->viewport()->mapToGlobal(place));
}

void SweepPage::focusFilter() {
  text_->setFocus();
  text_->selectAll();
}

bool SweepPage::eventFilter(QObject* watched, QEvent* event) {
  if (watched == table_ && event->type() == QEvent::KeyPress) {
    const int key = static_cast<QKeyEvent*>(event)->key();
    if (key == Qt::Key_Return || key == Qt::Key_Enter) {
      openCurrent();
      return true;
    }
  }
  if (watched == table_->viewport() && event->type() == QEvent::Leave) hover({});
  return QWidget::eventFilter(watched, event);
}

void SweepPage::showEvent(QShowEvent* event) {
  arrange(width() < kFourAcross ? 2 : 4);
  QWidget::showEvent(event);
  session_->watch(true);
  refresh();
  table_->setFocus();
}

void SweepPage::hideEvent(QHideEvent* event) {
  QWidget::hideEvent(event);
  session_->watch(false);
}

void SweepPage::resizeEvent(QResizeEvent* event) {
  arrange(event->size().width() < kFourAcross ? 2 : 4);
  QWidget::resizeEvent(event);
}

}  // namespace batchscope::desktop
