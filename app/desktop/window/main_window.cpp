// SPDX-License-Identifier: GPL-3.0-or-later
#include "window/main_window.h"

#include <QAction>
#include <QCloseEvent>
#include <QDropEvent>
#include <QMimeData>
#include <QPushButton>
#include <QSettings>
#include <QSlider>

#include "batchscope/common/job_text.h"
#include "batchscope/common/run_text.h"
#include "batchscope/run/machine.h"
#include "chart/dashboard.h"
#include "compare/compare_menu.h"
#include "compare/compared_series.h"
#include "compare/comparison_bar.h"
#include "compare/comparison_panel.h"
#include "compare/differences_panel.h"
#include "control/control_panel.h"
#include "control/replica_buttons.h"
#include "explorer/explorer_panel.h"
#include "figure/goodput_curve.h"
#include "lessons/lesson_model.h"
#include "lessons/lesson_panel.h"
#include "lessons/lesson_stage.h"
#include "lessons/sharing_panel.h"
#include "look/box.h"
#include "look/plain_text.h"
#include "look/toast.h"
#include "queue/queue_page.h"
#include "queue/waiting_page.h"
#include "records/checkpoints_panel.h"
#include "records/devices_panel.h"
#include "records/events_panel.h"
#include "records/failure_bar.h"
#include "records/hyperparameters_panel.h"
#include "records/log_panel.h"
#include "records/notifier.h"
#include "records/silent_page.h"
#include "runs/header_bar.h"
#include "runs/run_actions.h"
#include "runs/run_edits.h"
#include "runs/run_list_panel.h"
#include "runs/run_model.h"
#include "runs/run_table_page.h"
#include "scaling/scaling_page.h"
#include "series/view_state.h"
#include "session/catalogue_watcher.h"
#include "session/comparison.h"
#include "session/queue_session.h"
#include "session/run_session.h"
#include "session/sweep_session.h"
#include "sweep/sweep_page.h"
#include "window/close_notice.h"
#include "window/empty_page.h"
#include "window/guide.h"
#include "window/instrument.h"
#include "window/pages.h"
#include "window/replay_bar.h"
#include "window/run_choice.h"
#include "window/run_starter.h"
#include "window/side_panels.h"
#include "window/status_line.h"

namespace batchscope::desktop {

MainWindow::MainWindow(CatalogueWatcher* watcher, bool remembers, QWidget* parent)
    : QMainWindow(parent),
      watcher_(watcher),
      remembers_(remembers),
      view_(new ViewState(this)),
      session_(new RunSession(watcher, this)),
      queueSession_(new QueueSession(watcher, this)),
      sweepSession_(new SweepSession(watcher, this)),
      starter_(new RunStarter(watcher, session_, this)),
      comparison_(new Comparison(this)),
      compared_(new ComparedSeries(comparison_, session_, watcher, view_, this)),
      runs_(new RunModel(comparison_, this)),
      edits_(new RunEdits(watcher, this)),
      actions_(new RunActions(edits_, watcher, this)),
      list_(new RunListPanel(runs_, actions_, this)),
      lessons_(new LessonPanel(bundledLessons(), this)),
      table_(new RunTablePage(runs_, comparison_, actions_, this)),
      queue_(new QueuePage(queueSession_, comparison_, this)),
      sweeps_(new SweepPage(sweepSession_, comparison_, this)),
      header_(new HeaderBar(session_, view_, this)),
      dashboard_(new Dashboard(view_, this)),
      control_(new ControlPanel(session_, view_, run::Machine::here(), this)),
      explorer_(new ExplorerPanel(session_, view_, this)),
      replay_(new ReplayBar(session_, view_, {dashboard_, explorer_}, this)),
      scaling_(new ScalingPage(session_, this)),
      sharing_(new SharingPanel(this)),
      checkpoints_(new CheckpointsPanel(session_, view_, this)),
      values_(new ComparisonPanel(compared_, view_, this)),
      silent_(new SilentPage(session_, view_, this)),
      log_(new LogPanel(session_, view_, this)),
      instrument_(new Instrument(
          dashboard_, explorer_, scaling_, sharing_, silent_,
          {{"events", tr("Events"), new EventsPanel(session_, view_, this)},
           {"log", tr("Log"), log_},
           {"checkpoints", tr("Checkpoints"), checkpoints_},
           {"hyperparameters", tr("Hyperparameters"), new HyperparametersPanel(session_, this)},
           {"devices", tr("Devices"), new DevicesPanel(session_, view_, this)},
           {"comparison", tr("Compare"), values_},
           {"differences", tr("Differences"), new DifferencesPanel(compared_, watcher_, this)}},
          this)),
      status_(new StatusLine(watcher->file(), this)),
      toasts_(new Toasts(this)),
      tableAction_(new QAction(tr("Table of runs"), this)),
      queueAction_(new QAction(tr("Queue"), this)),
      sweepAction_(new QAction(tr("Sweep"), this)),
      compare_(new CompareMenu(comparison_, tableAction_, this)),
      legend_(new ComparisonBar(comparison_, compared_, compare_->groupsAction(), compare_->clearAction(),
                                this)) {
  showTextsAsTheyAre();
  setWindowTitle(tr("BatchScope"));
  setAcceptDrops(true);
  resize(1440, 900);
  setFocusPolicy(Qt::ClickFocus);  // so that no field takes the first key
  setFocus();
  tableAction_->setCheckable(true);
  tableAction_->setShortcut(QKeySequence(Qt::Key_T));
  queueAction_->setCheckable(true);
  queueAction_->setShortcut(QKeySequence(Qt::Key_Q));
  sweepAction_->setCheckable(true);
  sweepAction_->setShortcut(QKeySequence(Qt::Key_S));
  auto* run = new QWidget(this);
  auto* failure = new FailureBar(session_, this);
  vbox(run, {14, 12, 14, 12}, 10, {header_, legend_, replay_, failure, {instrument_, 1}});
  auto* empty = new EmptyPage(this);
  auto* waiting = new WaitingPage(session_, queueSession_, this);
  pages_ = new Pages({list_, lessons_, empty, run, control_, table_, waiting, queue_, sweeps_}, this);
  bar_ = new PageBar(this);
  auto* centre = new QWidget(this);
  vbox(centre, {}, 0, {bar_, {pages_, 1}});
  setCentralWidget(centre);
  setStatusBar(status_);
  buildMenus();

  connect(empty, &EmptyPage::demoRequested, this, [this] { startDemo(); });
  connect(empty, &EmptyPage::recipeRequested, starter_, [this] { starter_->newRun(); });
  connect(failure, &FailureBar::resumeRequested, starter_, [this] { starter_->resume(0); });
  connect(failure, &FailureBar::cloneRequested, starter_, &RunStarter::clone);
  connect(failure, &FailureBar::logRequested, this, [this] { raisePanel(QStringLiteral("log")); });
  connect(log_, &LogPanel::failureFound, instrument_,
          [this] { instrument_->raisePanel(QStringLiteral("log")); });
  connect(silent_, &SilentPage::silenceChanged, instrument_, &Instrument::showSilent);
  connect(silent_, &SilentPage::guideRequested, this, &MainWindow::showGuide);
  connect(waiting, &WaitingPage::queueRequested, this, [this] { showPage(Page::Queue); });
  connect(empty, &EmptyPage::lessonsRequested, this, [this] { showPage(Page::Learn); });
  connect(bar_, &PageBar::chosen, this, &MainWindow::showPage);
  for (const auto& [action, page] :
       {std::pair(tableAction_, Page::Runs), {queueAction_, Page::Queue}, {sweepAction_, Page::Sweep}})
    connect(action, &QAction::toggled, this, [this, page = page](bool isOn) {
      if (isOn)
        showPage(page);
      else if (page_ == page)
        goBack();
    });
  connectSession();
  connectRuns();
  connectQueue();
  connectSweeps();
  connectControl();
  connectComparison();
  connectLessons();
  if (remembers_) restore();
  choice_->refresh();
}

MainWindow::~MainWindow() {
  // Charts borrow the series model, which goes with the session.
  disconnect(session_, nullptr, this, nullptr);
  dashboard_->setModel(nullptr);
  for (ChartCard* card : explorer_->cards()) card->plot()->setModel(nullptr);
}

void MainWindow::connectSession() {
  connect(watcher_, &CatalogueWatcher::failed, toasts_, &Toasts::say);
  connect(session_, &RunSession::commandFailed, toasts_, &Toasts::say);
  connect(session_, &RunSession::said, toasts_, &Toasts::say);
  connect(session_, &RunSession::statusChanged, this, &MainWindow::updateStatus);
  connect(session_, &RunSession::opened, this, [this] {
    view_->clear();
    dashboard_->setModel(session_->series());
    explorer_->sessionOpened();
    scaling_->sessionOpened();
    updateStatus();
  });
  connect(session_, &RunSession::samplesChanged, this, [this] {
    view_->advance(*session_->series());
    dashboard_->refresh();
    explorer_->refreshSamples();
    scaling_->refreshSamples();
  });
}

// Connects everything that opens a run, wherever it is asked for.
void MainWindow::connectRuns() {
  choice_ = new RunChoice({watcher_, session_, comparison_, runs_, list_, header_}, this);
  connect(choice_, &RunChoice::chosen, pages_, &Pages::showRun);
  connect(choice_, &RunChoice::chosen, this, [this](bool hasRun) {
    hasRun_ = hasRun;
    updateRunPages();
  });
  connect(starter_, &RunStarter::runRequested, choice_, &RunChoice::open);
  connect(starter_, &RunStarter::said, toasts_, &Toasts::say);
  const auto show = [this](const QString& id) {
    showInstrument();
    choice_->open(id);
  };
  connect(list_, &RunListPanel::runSelected, this, show);
  connect(table_, &RunTablePage::runOpened, this, show);
  const auto showSweep = [this](const QString& name) {
    sweepSession_->choose(name.toStdString());
    showPage(Page::Sweep);
  };
  connect(list_, &RunListPanel::sweepOpened, this, showSweep);
  connect(table_, &RunTablePage::sweepOpened, this, showSweep);
  // Later: the row may move or go away by it, and with the row the editor that is just being left.
  connect(runs_, &RunModel::edited, edits_, &RunEdits::set, Qt::QueuedConnection);
  connect(edits_, &RunEdits::failed, toasts_, &Toasts::say);
  connect(edits_, &RunEdits::removed, toasts_,
          [this](const QString& what, const std::function<void()>& undo) {
            toasts_->offer(what, tr("&Undo"), undo);
          });
  actions_->setSelection(
      [this] { return tableAction_->isChecked() ? table_->selectedIds() : list_->selectedIds(); });
  connect(actions_, &RunActions::cloneRequested, starter_, &RunStarter::clone);
  auto* notifier = new Notifier(watcher_, this);
  connect(notifier, &Notifier::raised, toasts_, [this, show](const QString& message, const QString& run) {
    toasts_->offer(message, tr("Sho&w"), [show, run] { show(run); });
  });
  connect(notifier, &Notifier::runRequested, this, [this, show](const QString& id) {
    raise();
    activateWindow();
    show(id);
  });
}

void MainWindow::connectQueue() {
  connect(queueSession_, &QueueSession::failed, toasts_, &Toasts::say);
  connect(queue_, &QueuePage::said, toasts_, &Toasts::say);
  connect(queue_, &QueuePage::newRunRequested, starter_, [this] { starter_->newRun(true); });
  connect(queue_, &QueuePage::runOpened, this, [this](const QString& id) {
    showInstrument();
    choice_->open(id);
  });
  connect(queueSession_, &QueueSession::changed, runs_, [this] {
    std::map<std::string, WaitingRun> waiting;
    for (const pool::QueueEntry& entry : queueSession_->snapshot().entries) {
      if (hasEnded(entry) || is_active(entry.run.state) ||
          queueSession_->snapshot().rungs.contains(entry.run.id))
        continue;
      const int place = queueSession_->place(entry.run.id);
      waiting[entry.run.id] = {place, tr("place %1 · %2").arg(place).arg(common::whyText(entry))};
    }
    runs_->setWaiting(std::move(waiting));
  });
  const auto updateWaits = [this] {
    // A run that waits between two jobs already has charts.
    const bool waits = session_->isOpen() && session_->run().state == protocol::RunState::pending &&
                       session_->run().step == 0;
    pages_->setWaits(waits);
    pages_->setHasControl(session_->isOpen() && !waits);
  };
  connect(session_, &RunSession::opened, pages_, updateWaits);
  connect(session_, &RunSession::statusChanged, pages_, updateWaits);
}

void MainWindow::connectSweeps() {
  connect(sweepSession_, &SweepSession::failed, toasts_, &Toasts::say);
  connect(sweeps_, &SweepPage::said, toasts_, &Toasts::say);
  connect(sweeps_, &SweepPage::runOpened, this, [this](const QString& id) {
    showInstrument();
    choice_->open(id);
  });
}

// The run's controls, and the explorer's, which do the same.
void MainWindow::connectControl() {
  connect(control_, &ControlPanel::resumeRequested, starter_, &RunStarter::resume);
  connect(checkpoints_, &CheckpointsPanel::resumeRequested, starter_, [this] { starter_->resume(0); });
  connect(checkpoints_, &CheckpointsPanel::forkRequested, starter_, &RunStarter::fork);
  connect(view_, &ViewState::markPressed, this, [this] { raisePanel(QStringLiteral("checkpoints")); });

  control_->setPages(header_->explorerAction(), header_->scalingAction());
  connect(header_->explorerAction(), &QAction::toggled, instrument_, &Instrument::showExplorer);
  connect(header_->scalingAction(), &QAction::toggled, instrument_, &Instrument::showScaling);
  connect(control_, &ControlPanel::explorerRequested, this, [this] { showExplorer(true); });
  ReplicaButtons* replicas = control_->replicas();
  QPushButton* restart = control_->restartButton();
  connect(explorer_, &ExplorerPanel::replicasChosen, replicas, &ReplicaButtons::choose);
  connect(explorer_, &ExplorerPanel::restartRequested, restart, &QPushButton::click);
  const auto offer = [this, replicas, restart] {
    explorer_->setRestart({.replicas = replicas->chosen(),
                           .canChoose = replicas->isEnabled(),
                           .text = restart->text(),
                           .isPossible = restart->isEnabled()});
  };
  connect(replicas, &ReplicaButtons::chosenChanged, explorer_, offer);
  connect(control_, &ControlPanel::restartUpdated, explorer_, offer);
}

void MainWindow::connectComparison() {
  const auto want = [this] {
    std::set<std::string> series = dashboard_->series();
    series.merge(ComparisonModel::series());
    compared_->want(series);
  };
  connect(dashboard_, &Dashboard::chartsChanged, compared_, want);
  want();
  const auto draw = [this] { dashboard_->setCompared(compared_->sceneRuns(), compare_->bands()); };
  connect(compared_, &ComparedSeries::changed, dashboard_, draw);
  connect(compared_, &ComparedSeries::changed, scaling_, [this] {
    std::vector<ScalingPage::Companion> runs;
    for (const ComparedSeries::Entry& run : compared_->runs())
      runs.push_back({run.name, run.colour, run.model});
    scaling_->setCompared(std::move(runs));
  });
  connect(compare_, &CompareMenu::bandsChanged, dashboard_, draw);
  connect(compared_, &ComparedSeries::samplesChanged, dashboard_, &Dashboard::refresh);
  connect(compared_, &ComparedSeries::samplesChanged, scaling_, &ScalingPage::refreshSamples);
  connect(compared_, &ComparedSeries::failed, toasts_, &Toasts::say);
  connect(comparison_, &Comparison::full, toasts_,
          [this] { toasts_->say(tr("At most %1 runs are compared at a time.").arg(Comparison::kMost)); });
  connect(legend_, &ComparisonBar::runOpened, choice_, &RunChoice::open);
  connect(values_, &ComparisonPanel::runOpened, choice_, &RunChoice::open);
  // Several runs are compared on the page of several.
  const auto showValues = [this] {
    raisePanel(QStringLiteral("comparison"));
    if (isComparing()) showPage(Page::Compare);
  };
  connect(comparison_, &Comparison::changed, this, [this] {
    if (page_ == Page::Compare && !isComparing()) setPage(Page::Run);
  });
  connect(legend_, &ComparisonBar::moreRequested, this, showValues);
  connect(compare_, &CompareMenu::valuesRequested, this, showValues);
  connect(compare_, &CompareMenu::differencesRequested, this,
          [this] { raisePanel(QStringLiteral("differences")); });
}

void MainWindow::connectLessons() {
  // The page in front comes first: a series may be drawn on both.
  const auto chartWith = [this](const std::string& series) -> QWidget* {
    for (ChartCard* card : explorer_->cards())
      if (header_->explorerAction()->isChecked() && card->plot()->spec().draws(series)) return card;
    return dashboard_->reveal(series);
  };
  std::map<QString, QWidget*> cards = scaling_->namedCards();
  cards[QStringLiteral("curve")] = explorer_->curve()->parentWidget();
  cards[QStringLiteral("what-if")] = explorer_->slider()->parentWidget();
  auto* stage = new LessonStage({.watcher = watcher_,
                                 .session = session_,
                                 .view = view_,
                                 .launcher = starter_->launcher(),
                                 .sharing = sharing_,
                                 .explorer = header_->explorerAction(),
                                 .why = header_->scalingAction(),
                                 .chartWith = chartWith,
                                 .cards = std::move(cards)},
                                lessons_, this);
  connect(stage, &LessonStage::runRequested, choice_, &RunChoice::open);
  connect(stage, &LessonStage::instrumentRequested, this, [this](ShowInstrument::Page page) {
    showExplorer(page == ShowInstrument::Page::Explorer);
    showScaling(page == ShowInstrument::Page::Why);
  });
  connect(stage, &LessonStage::replicasChosen, control_->replicas(), &ReplicaButtons::choose);
  connect(stage, &LessonStage::sharingRequested, instrument_, &Instrument::showSharing);
  connect(stage, &LessonStage::panelRequested, instrument_, &Instrument::raisePanel);
  connect(stage, &LessonStage::said, toasts_, &Toasts::say);
  connect(lessons_, &LessonPanel::closed, this, [this] { showPage(Page::Run); });
  connect(lessons_, &LessonPanel::launchRequested, starter_, &RunStarter::startLesson);
}

void MainWindow::updateStatus() {
  status_->setRecording(session_->isOpen() && session_->isConnected());
  view_->setOver(session_->isOpen() && !is_active(session_->status().state) &&
                 session_->status().state != protocol::RunState::pending);
  setWindowTitle(session_->isOpen() ? tr("%1: %2 – BatchScope")
                                          .arg(QString::fromStdString(session_->run().name),
                                               common::describe(session_->status()).text)
                                    : tr("BatchScope"));
}

void MainWindow::openRun(const std::string& id) { choice_->open(QString::fromStdString(id)); }

void MainWindow::startDemo(const QStringList& arguments) { starter_->startDemo(arguments); }

void MainWindow::importRuns(const QStringList& files) { starter_->import(files); }

void MainWindow::showExplorer(bool isShown) { header_->explorerAction()->setChecked(isShown); }

void MainWindow::showScaling(bool isShown) { header_->scalingAction()->setChecked(isShown); }

bool MainWindow::isComparing() const { return comparison_->members().size() > 1; }

void MainWindow::showPage(Page page) {
  if (page == Page::Compare && !isComparing()) {
    toasts_->say(tr("Check two or more runs here to compare them, with Space or their boxes."));
    page = Page::Runs;
  }
  if (page == page_) return bar_->show(page);
  std::erase(left_, page_);
  left_.push_back(page_);
  setPage(page);
}

void MainWindow::goBack() {
  const Page page = left_.empty() ? Page::Run : left_.back();
  if (!left_.empty()) left_.pop_back();
  setPage(page == Page::Compare && !isComparing() ? Page::Run : page);
}

void MainWindow::setPage(Page page) {
  if (page == page_) return;
  const bool compared = std::exchange(page_, page) == Page::Compare;
  bar_->show(page);
  tableAction_->setChecked(page == Page::Runs);
  queueAction_->setChecked(page == Page::Queue);
  sweepAction_->setChecked(page == Page::Sweep);
  actions_->update();
  updateRunPages();
  if (page == Page::Runs && session_->isOpen()) table_->select(session_->run().id);
  pages_->show(page);
  if (page == Page::Queue && session_->isOpen()) queue_->select(session_->run().id);
  if (page == Page::Compare) instrument_->raisePanel(QStringLiteral("comparison"));
  if (page == Page::Run && compared) instrument_->raisePanel(QStringLiteral("events"));
}

// Shows a page of a run, in place of the pages of many.
void MainWindow::showInstrument() {
  if (!showsRun(page_)) showPage(Page::Run);
}

// Updates the pages that take the place of a run's charts, where these are.
void MainWindow::updateRunPages() {
  for (QAction* action : {header_->explorerAction(), header_->scalingAction()})
    action->setEnabled(hasRun_ && showsRun(page_));
}

void MainWindow::showGuide() {
  auto* guide = new Guide(this);
  guide->setAttribute(Qt::WA_DeleteOnClose);
  guide->show();
}

void MainWindow::raisePanel(const QString& name) {
  showInstrument();
  instrument_->raisePanel(name);
}

void MainWindow::restore() {
  const QSettings settings;
  restoreGeometry(settings.value(QStringLiteral("window/geometry")).toByteArray());
  instrument_->restore(settings);
  dashboard_->restore(settings);
  pages_->sides()->restore(settings);
  view_->restore(settings);
  table_->restore(settings);
  choice_->restore(settings);
  showExplorer(settings.value(QStringLiteral("window/explorer")).toBool());
  LessonModel* lessons = lessons_->model();
  lessons->setDone(settings.value(QStringLiteral("lessons/done")).toStringList());
  connect(lessons, &LessonModel::dataChanged, this,
          [lessons] { QSettings().setValue(QStringLiteral("lessons/done"), lessons->done()); });
}

static QStringList filesOf(const QMimeData* data) {
  QStringList files;
  for (const QUrl& url : data->urls())
    if (url.isLocalFile()) files << url.toLocalFile();
  return files;
}

// The files are only read: accepting a move would let the other program delete them.
static bool takeAsCopy(QDropEvent* event) {
  if (filesOf(event->mimeData()).isEmpty() || !event->possibleActions().testFlag(Qt::CopyAction))
    return false;
  event->setDropAction(Qt::CopyAction);
  event->accept();
  return true;
}

void MainWindow::dragEnterEvent(QDragEnterEvent* event) { takeAsCopy(event); }

void MainWindow::dropEvent(QDropEvent* event) {
  if (takeAsCopy(event)) importRuns(filesOf(event->mimeData()));
}

void MainWindow::closeEvent(QCloseEvent* event) {
  lessons_->showList();  // what a lesson did with the window is not for the next time
  if (remembers_) {
    QSettings settings;
    settings.setValue(QStringLiteral("window/geometry"), saveGeometry());
    settings.setValue(QStringLiteral("window/explorer"), header_->explorerAction()->isChecked());
    instrument_->save(settings);
    dashboard_->save(settings);
    pages_->sides()->save(settings);
    view_->save(settings);
    table_->save(settings);
    choice_->save(settings);
    showCloseNotice(*this, watcher_->runs());
  }
  event->accept();
}

}  // namespace batchscope::desktop
