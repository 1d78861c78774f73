// SPDX-License-Identifier: GPL-3.0-or-later
#include "queue/queue_page.h"

#include <QHeaderView>
#include <QKeyEvent>
#include <QLabel>
#include <QLayout>
#include <QMenu>
#include <QSplitter>
#include <QToolButton>
#include <algorithm>
#include <initializer_list>
#include <map>
#include <set>

#include "batchscope/common/capital.h"
#include "batchscope/common/queue_order.h"
#include "batchscope/protocol/error.h"
#include "look/box.h"
#include "look/menu_key.h"
#include "look/plain_table.h"
#include "queue/cancel_question.h"
#include "queue/decisions_panel.h"
#include "queue/device_timeline.h"
#include "queue/pool_bar.h"
#include "queue/queue_model.h"
#include "queue/totals_bar.h"
#include "session/comparison.h"
#include "session/queue_session.h"

namespace batchscope::desktop {
namespace {

using pool::JobState;
using pool::QueueEntry;

constexpr int kJobHeight = 26;
constexpr std::size_t kMostMoves = 50;  // that can be taken back

// The window has some of these keys for the open run and its charts.
bool isOurs(int key, Qt::KeyboardModifiers modifiers) {
  if (modifiers == Qt::ControlModifier) return key == Qt::Key_Up || key == Qt::Key_Down || key == Qt::Key_Z;
  return modifiers == Qt::NoModifier &&
         (key == Qt::Key_Return || key == Qt::Key_Enter || key == Qt::Key_Delete || key == Qt::Key_H);
}

}  // namespace

QueuePage::QueuePage(QueueSession* session, Comparison* comparison, QWidget* parent)
    : QWidget(parent),
      session_(session),
      comparison_(comparison),
      model_(new QueueModel(this)),
      table_(new PlainTable(tr("The queue is empty. Add a run with the button \"Add a run …\", or in a "
                               "terminal with: batchscope "
                               "submit PROGRAM --replicas 1-4"),
                            this)),
      pool_(new PoolBar(this)),
      hang_(named("complaint", this)),
      totals_(new TotalsBar(this)) {
  const auto tool = [this](const QString& text, const QString& toolTip, auto pressed) {
    auto* button = new QToolButton(this);
    button->setText(text);
    button->setToolTip(toolTip);
    button->setFocusPolicy(Qt::TabFocus);
    connect(button, &QToolButton::clicked, this, pressed);
    return button;
  };
  up_ = tool(tr("Up"), tr("Move it before the run above (Ctrl+Up)"), [this] { move(-1); });
  down_ = tool(tr("Down"), tr("Move it behind the run below (Ctrl+Down)"), [this] { move(1); });
  undo_ = tool(tr("Undo"), tr("Undo the last move (Ctrl+Z)"), &QueuePage::undo);
  hold_ = tool(tr("Hold"), tr("Give it no devices until it is released (H)"), &QueuePage::holdOrRelease);
  cancel_ = tool(tr("Cancel …"), tr("Take it out of the queue; one that trains writes a checkpoint (Delete)"),
                 &QueuePage::confirmCancel);
  open_ = tool(tr("Open"), tr("Its charts, or why it waits (Return)"), &QueuePage::openCurrent);
  now_ = tool(tr("Now"), tr("Keep the present moment in view (End)"), [this] { timeline_->follow(); });
  now_->setCheckable(true);

  auto* parts = new QSplitter(Qt::Vertical, this);
  parts->setHandleWidth(10);
  parts->setChildrenCollapsible(false);
  parts->addWidget(buildQueue());
  parts->addWidget(buildTimeline());
  decisions_ = new DecisionsPanel(
      [this](const std::string& id) {
        const QueueEntry* entry = session_->find(id);
        return QString::fromStdString(entry == nullptr ? id : entry->run.name);
      },
      this);
  auto* decisions = card(this);
  vbox(decisions, {1, 9, 1, 6}, 0, {decisions_});
  parts->addWidget(decisions);
  for (int part = 0; part < 3; ++part) parts->setStretchFactor(part, part == 1 ? 0 : 1);
  const QString keys =
      tr("Drag runs, or press Ctrl+Up and Ctrl+Down, to say which goes first; H holds and releases, Delete "
         "cancels, Return opens or unfolds, Ctrl+Z takes a move back");
  QLabel* hint = named("hint", this, keys);
  hint->setWordWrap(true);
  hang_->setWordWrap(true);
  hang_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  hang_->hide();
  vbox(this, {14, 12, 14, 12}, 10, {pool_, hang_, totals_, {parts, 1}, hint});

  using Settings = protocol::PoolSettings;
  const auto configure = [this](auto set) {
    session_->change([set](storage::Catalogue& catalogue) { pool::configure(catalogue, set); });
  };
  connect(pool_, &PoolBar::policyChosen, this, [configure](const QString& name) {
    configure([name](Settings& settings) { settings.policy = name.toStdString(); });
  });
  connect(pool_, &PoolBar::limitChosen, this, [configure](int devices) {
    configure([devices](Settings& settings) { settings.devices = devices; });
  });
  connect(pool_, &PoolBar::pauseChosen, this, [configure](bool isPaused) {
    configure([isPaused](Settings& settings) { settings.paused = isPaused; });
  });
  connect(pool_, &PoolBar::drainChosen, this, [configure](bool isDraining) {
    configure([isDraining](Settings& settings) { settings.draining = isDraining; });
  });
  connect(pool_, &PoolBar::newRunRequested, this, &QueuePage::newRunRequested);
  connect(session_, &QueueSession::changed, this, &QueuePage::takeSnapshot);
  connect(comparison_, &Comparison::changed, this, &QueuePage::recolour);
  updateActions();
}

QTableView* QueuePage::table() const { return table_; }

int QueuePage::heightForWidth(int width) const { return layout()->totalMinimumHeightForWidth(width); }

QWidget* QueuePage::buildQueue() {
  table_->setModel(model_);
  table_->setObjectName(QStringLiteral("queueTable"));
  table_->setAccessibleName(tr("Runs in the queue"));
  table_->setSelectionMode(QAbstractItemView::ExtendedSelection);
  openMenuByKey(table_);
  table_->setIconSize({12, 12});
  table_->verticalHeader()->setDefaultSectionSize(kJobHeight);
  table_->setDragDropMode(QAbstractItemView::DragDrop);
  table_->setDefaultDropAction(Qt::MoveAction);
  table_->setDragDropOverwriteMode(false);
  for (const auto& [column, width] :
       {std::pair(QueueModel::Place, 60), std::pair(QueueModel::Name, 176), std::pair(QueueModel::State, 116),
        std::pair(QueueModel::Priority, 74), std::pair(QueueModel::Replicas, 100),
        std::pair(QueueModel::Devices, 110), std::pair(QueueModel::Waited, 78),
        std::pair(QueueModel::End, 96)})
    table_->setColumnWidth(column, width);
  table_->horizontalHeader()->moveSection(QueueModel::Place, 0);
  table_->installEventFilter(this);
  connect(table_, &QWidget::customContextMenuRequested, this, &QueuePage::showContextMenu);
  connect(table_, &QAbstractItemView::doubleClicked, this, &QueuePage::openCurrent);
  connect(model_, &QueueModel::dropped, this, [this](const QStringList& ids, int row) {
    std::vector<std::string> runs;
    for (const QString& id : ids) runs.push_back(id.toStdString());
    place(runs, row);
  });
  connect(table_->selectionModel(), &QItemSelectionModel::selectionChanged, this, [this] {
    const auto ids = selectedIds(true);
    timeline_->setSelected({ids.begin(), ids.end()});
    updateActions();
  });
  auto* frame = card(this);
  vbox(frame, {1, 7, 1, 6}, 4,
       {hbox(nullptr, {12, 0, 10, 0}, 6,
             {named("chartTitle", frame, tr("Runs")), rest(), up_, down_, undo_, gap(8), hold_, cancel_,
              open_}),
        {table_, 1}});
  frame->setMinimumHeight(150);
  return frame;
}

QWidget* QueuePage::buildTimeline() {
  timeline_ = new DeviceTimeline(&storage::now, this);
  connect(timeline_, &DeviceTimeline::runClicked, this, [this](const QString& id) {
    if (session_->find(id.toStdString()) == nullptr)
      Q_EMIT said(tr("This run is not in the queue any more; the table of runs (T) has it."));
    select(id.toStdString());
  });
  connect(timeline_, &DeviceTimeline::rangeChanged, this, [this] { now_->setChecked(timeline_->follows()); });
  now_->setChecked(true);
  auto* frame = card(this);
  vbox(frame, {1, 7, 1, 2}, 4,
       {hbox(nullptr, {12, 0, 10, 0}, 7,
             {named("chartTitle", frame, tr("Devices")),
              named("chartUnit", frame, tr("which run had each of them, and when")), rest(), now_}),
        {timeline_, 1}});
  return frame;
}

void QueuePage::takeSnapshot() {
  if (!isVisible()) return;
  const QueueSnapshot& snapshot = session_->snapshot();
  model_->setEntries(snapshot.entries, snapshot.rungs);
  recolour();
  updateActions();
  if (!snapshot.isWhole) return;
  const std::size_t length = queueLength(snapshot.entries);
  const auto holding = static_cast<std::size_t>(
      std::count_if(snapshot.entries.begin(), snapshot.entries.begin() + static_cast<std::ptrdiff_t>(length),
                    [](const QueueEntry& entry) { return !entry.run.devices.empty(); }));
  pool_->setSettings(snapshot.settings);
  pool_->setCounts(holding, length - holding);
  hang_->setText(QString::fromStdString(snapshot.hang));
  hang_->setVisible(!snapshot.hang.empty());
  totals_->setTotals(snapshot.totals);
  totals_->setHeartbeat(snapshot.heartbeat);
  std::set<std::string> devices;
  if (!snapshot.decisions.empty()) {
    const protocol::PoolDecision& last = snapshot.decisions.back();
    totals_->setAdvice(QString::fromStdString(last.advice));
    devices.insert(last.idle.begin(), last.idle.end());
    for (const protocol::PoolChoice& choice : last.choices)
      devices.insert(choice.devices.begin(), choice.devices.end());
  }
  timeline_->setLanes(
      lanesOf(snapshot.leases, snapshot.generations, devices, snapshot.nodes, storage::now()));
  decisions_->setDecisions(snapshot.decisions);
}

// Colours runs as where they are compared; else by turns, as they were submitted, so that a run keeps its
// own.
void QueuePage::recolour() {
  std::vector<const QueueEntry*> bySubmission;
  for (const QueueEntry& entry : session_->snapshot().entries) bySubmission.push_back(&entry);
  std::stable_sort(bySubmission.begin(), bySubmission.end(), [](const QueueEntry* a, const QueueEntry* b) {
    return a->job.submitted < b->job.submitted;
  });
  std::map<std::string, int> colours;
  int next = 0;
  for (const QueueEntry* entry : bySubmission) {
    colours[entry->run.id] = comparison_->colourOf(entry->run.id).value_or(next);
    ++next;
  }
  model_->setColours(colours);
  timeline_->setColours(std::move(colours));
}

std::vector<std::string> QueuePage::selectedIds(bool alsoEnded) const {
  std::vector<int> rows;
  for (const QModelIndex& index : table_->selectionModel()->selectedRows()) rows.push_back(index.row());
  std::sort(rows.begin(), rows.end());
  std::vector<std::string> ids;
  for (const int row : rows)
    if (const QueueEntry& entry = model_->at(row); !entry.run.id.empty() && (alsoEnded || !hasEnded(entry)))
      ids.push_back(entry.run.id);
  return ids;
}

void QueuePage::updateActions() {
  const auto ids = selectedIds();
  const bool isAny = !ids.empty();
  for (QToolButton* button : {up_, down_, hold_, cancel_}) button->setEnabled(isAny);
  const bool areHeld = isAny && std::all_of(ids.begin(), ids.end(), [this](const std::string& id) {
                         return model_->at(model_->rowOf(id)).job.held;
                       });
  hold_->setText(areHeld ? tr("Release") : tr("Hold"));
  open_->setEnabled(table_->currentIndex().isValid());
  undo_->setEnabled(!moves_.empty());
}

bool QueuePage::pressKey(int key, Qt::KeyboardModifiers modifiers, bool isRepeated) {
  if (!isOurs(key, modifiers)) return false;
  if (isRepeated && modifiers == Qt::NoModifier) return true;  // a finger that stays down asks once
  switch (key) {
    case Qt::Key_Up: move(-1); break;
    case Qt::Key_Down: move(1); break;
    case Qt::Key_Z: undo(); break;
    case Qt::Key_H: holdOrRelease(); break;
    case Qt::Key_Delete: confirmCancel(); break;
    default: openCurrent();
  }
  return true;
}

bool QueuePage::eventFilter(QObject* watched, QEvent* event) {
  if (watched == table_ && (event->type() == QEvent::ShortcutOverride || event->type() == QEvent::KeyPress)) {
    const auto* press = static_cast<QKeyEvent*>(event);
    const Qt::KeyboardModifiers modifiers = press->modifiers() & ~Qt::KeypadModifier;
    if (event->type() == QEvent::KeyPress) return pressKey(press->key(), modifiers, press->isAutoRepeat());
    if (isOurs(press->key(), modifiers)) {
      event->accept();
      return true;
    }
  }
  return QWidget::eventFilter(watched, event);
}

void QueuePage::showContextMenu(const QPoint& place) {
  if (!table_->indexAt(place).isValid()) return;
  QMenu menu(this);
  for (const QToolButton* button : {open_, up_, down_, hold_, cancel_}) {
    if (button == up_ || button == hold_) menu.addSeparator();
    menu.addAction(button->text(), button, &QToolButton::click)->setEnabled(button->isEnabled());
  }
  menu.exec(table_->viewport()->mapToGlobal(place));
}

void QueuePage::move(int rows) {
  auto ids = selectedIds();
  std::erase_if(ids, [this](const std::string& id) { return model_->rowOf(id) >= model_->length(); });
  if (ids.empty()) return;
  const int first = model_->rowOf(ids.front()), last = model_->rowOf(ids.back());
  // A row further on is the one behind the run that stands there.
  const int row = rows < 0 ? first + rows : last + 1 + rows;
  if (row >= 0 && row <= model_->length()) place(ids, row);
}

void QueuePage::place(const std::vector<std::string>& ids, int row) {
  std::vector<common::QueuePlace> queue;
  for (int i = 0; i < model_->length(); ++i) {
    const QueueEntry& entry = model_->at(i);
    const bool isMoved = std::ranges::find(ids, entry.run.id) != ids.end();
    queue.push_back({entry.run.id, entry.job.priority, entry.job.submitted, isMoved});
  }
  try {
    Priorities before, after;
    for (const common::PriorityChange& change : common::movedTo(queue, static_cast<std::size_t>(row))) {
      before.emplace_back(change.run, change.before);
      after.emplace_back(change.run, change.after);
    }
    if (after.empty()) return;
    if (moves_.size() == kMostMoves) moves_.erase(moves_.begin());
    moves_.push_back(std::move(before));
    prioritise(after);
  } catch (const Error& error) {
    Q_EMIT said(common::capital(QString::fromUtf8(error.what())));
  }
}

// Seen at once, not only when the catalogue has it.
void QueuePage::prioritise(const Priorities& priorities) {
  std::vector<QueueEntry> entries = model_->entries();
  for (QueueEntry& entry : entries)
    for (const auto& [id, priority] : priorities)
      if (entry.run.id == id) entry.job.priority = priority;
  std::stable_sort(entries.begin(), entries.begin() + model_->length(),
                   [](const QueueEntry& a, const QueueEntry& b) {
                     return a.job.priority != b.job.priority ? a.job.priority > b.job.priority
                                                             : a.job.submitted < b.job.submitted;
                   });
  model_->setEntries(std::move(entries), session_->snapshot().rungs);
  table_->scrollTo(table_->currentIndex());
  std::vector<std::string> ids;
  for (const auto& [id, priority] : priorities) ids.push_back(id);
  session_->changeEach(ids, [all = std::map(priorities.begin(), priorities.end())](
                                storage::Catalogue& catalogue, const std::string& id) {
    pool::prioritise(catalogue, id, all.at(id));
  });
  updateActions();
}

void QueuePage::undo() {
  if (moves_.empty()) return;
  const Priorities before = std::move(moves_.back());
  moves_.pop_back();
  prioritise(before);
}

void QueuePage::holdOrRelease() {
  const auto ids = selectedIds();
  if (ids.empty()) return;
  const bool areHeld = std::all_of(ids.begin(), ids.end(), [this](const std::string& id) {
    return model_->at(model_->rowOf(id)).job.held;
  });
  session_->changeEach(ids, areHeld ? pool::release : pool::hold);
}

void QueuePage::confirmCancel() {
  const auto ids = selectedIds();
  if (ids.empty()) return;
  const QString what = ids.size() == 1
                           ? QString::fromStdString(model_->at(model_->rowOf(ids.front())).run.name)
                           : tr("%1 runs").arg(ids.size());
  askToCancel(session_, ids, what, window());
}

void QueuePage::openCurrent() {
  const QModelIndex current = table_->currentIndex();
  if (!current.isValid()) return;
  if (const std::string sweep = model_->sweepAt(current.row()); !sweep.empty())
    model_->toggleFold(sweep);
  else
    Q_EMIT runOpened(current.data(QueueModel::IdRole).toString());
}

void QueuePage::select(const std::string& id) {
  if (const QueueEntry* entry = session_->find(id); entry && entry->run.trial && model_->rowOf(id) < 0)
    model_->unfold(entry->run.trial->sweep);
  if (const int row = model_->rowOf(id); row >= 0) {
    table_->selectRow(row);
    table_->scrollTo(model_->index(row, 0));
  }
}

void QueuePage::showEvent(QShowEvent* event) {
  QWidget::showEvent(event);
  session_->watch(true);
  takeSnapshot();
  table_->setFocus();
}

void QueuePage::hideEvent(QHideEvent* event) {
  QWidget::hideEvent(event);
  session_->watch(false);
}

}  // namespace batchscope::desktop
