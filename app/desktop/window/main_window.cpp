// SPDX-License-Identifier: GPL-3.0-or-later
#include "window/main_window.h"

#include <QAction>
#include <QCloseEvent>
#include <QDockWidget>
#include <QGuiApplication>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QScreen>
#include <QSettings>
#include <QSignalBlocker>
#include <QStackedWidget>
#include <QStatusBar>
#include <QTabBar>
#include <QThread>
#include <QVBoxLayout>
#include <algorithm>
#include <cstdio>
#include <set>

#include "batchscope/run/recipe.h"
#include "chart/dashboard.h"
#include "chart/view_state.h"
#include "compare/compared_series.h"
#include "compare/comparison_panel.h"
#include "compare/differences_panel.h"
#include "control/control_panel.h"
#include "control/replica_buttons.h"
#include "explorer/explorer_panel.h"
#include "lessons/lesson_panel.h"
#include "look/elided_label.h"
#include "look/format.h"
#include "look/plain_text.h"
#include "look/status_text.h"
#include "records/checkpoints_panel.h"
#include "records/devices_panel.h"
#include "records/events_panel.h"
#include "records/hyperparameters_panel.h"
#include "records/log_panel.h"
#include "records/notifier.h"
#include "runs/header_bar.h"
#include "runs/recipe_dialog.h"
#include "runs/run_list_panel.h"
#include "runs/run_model.h"
#include "runs/run_table_page.h"
#include "session/catalogue_watcher.h"
#include "session/comparison.h"
#include "session/launcher.h"
#include "session/run_session.h"
#include "window/empty_page.h"
#include "window/farewell.h"
#include "window/store_size.h"

namespace batchscope::desktop {

MainWindow::MainWindow(CatalogueWatcher* watcher, bool remembers, QWidget* parent)
    : QMainWindow(parent),
      watcher_(watcher),
      remembers_(remembers),
      view_(new ViewState(this)),
      session_(new RunSession(watcher, this)),
      launcher_(new Launcher(watcher->file(), this)),
      comparison_(new Comparison(this)),
      compared_(new ComparedSeries(comparison_, session_, watcher, view_, this)),
      runs_(new RunModel(comparison_, this)),
      list_(new RunListPanel(runs_, this)),
      lessons_(new LessonPanel(bundledLessons(), this)),
      table_(new RunTablePage(runs_, comparison_, watcher, this)),
      header_(new HeaderBar(session_, view_, this)),
      dashboard_(new Dashboard(view_, this)),
      control_(new ControlPanel(session_, view_, run::Machine::here(), this)),
      explorer_(new ExplorerPanel(session_, view_, this)),
      instruments_(new QStackedWidget(this)),
      inner_(new QMainWindow(this, Qt::Widget)),
      pages_(new QStackedWidget(this)),
      faces_(new QStackedWidget(this)),
      tableAction_(new QAction(tr("Table of runs"), this)) {
  showTextsAsTheyAre();
  setWindowTitle(tr("BatchScope"));
  resize(1440, 900);
  setFocusPolicy(Qt::ClickFocus);  // so that no field takes the first key
  setFocus();
  tableAction_->setCheckable(true);
  tableAction_->setShortcut(QKeySequence(Qt::Key_T));
  buildCentre();
  buildDocks();
  buildLessons();
  buildMenus();
  buildStatusBar();
  control_->hide();
  list_->installEventFilter(this);

  connect(watcher_, &CatalogueWatcher::changed, this, &MainWindow::runsChanged);
  connect(watcher_, &CatalogueWatcher::failed, this, &MainWindow::say);
  connect(tableAction_, &QAction::toggled, this, &MainWindow::showTable);
  connect(list_, &RunListPanel::runSelected, this, [this](const QString& id) {
    showTable(false);
    openRun(id.toStdString());
  });
  connect(table_, &RunTablePage::runOpened, this, [this](const QString& id) {
    showTable(false);
    openRun(id.toStdString());
  });
  connect(table_, &RunTablePage::failed, this, &MainWindow::say);
  connect(comparison_, &Comparison::full, this,
          [this] { say(tr("At most %1 runs are compared at a time.").arg(Comparison::kMost)); });
  connect(session_, &RunSession::opened, this, &MainWindow::sessionOpened);
  connect(session_, &RunSession::statusChanged, this, &MainWindow::updateStatusBar);
  connect(session_, &RunSession::commandFailed, this, &MainWindow::say);
  connect(session_, &RunSession::samplesChanged, this, [this] {
    view_->advance(*session_->series());
    dashboard_->refresh();
    explorer_->refreshSamples();
  });
  connect(launcher_, &Launcher::launched, this, [this](const QString& id) {
    watcher_->reload();
    openRun(id.toStdString());
    message_->clear();
  });
  connect(launcher_, &Launcher::failed, this, &MainWindow::say);
  connect(view_, &ViewState::markPressed, this, [this] { raiseDock("checkpoints"); });
  auto* notifier = new Notifier(watcher_, this);
  connect(notifier, &Notifier::raised, this, &MainWindow::say);
  connect(notifier, &Notifier::runRequested, this, [this](const QString& id) {
    raise();
    activateWindow();
    openRun(id.toStdString());
  });
  connect(control_, &ControlPanel::resumeRequested, this, [this](int replicas) {
    say(tr("Resuming …"));
    launcher_->resume(session_->run().id, replicas);
  });

  if (remembers_) {
    const QSettings settings;
    restoreGeometry(settings.value(QStringLiteral("window/geometry")).toByteArray());
    hasLayout_ = inner_->restoreState(settings.value(QStringLiteral("window/docks")).toByteArray());
    view_->restore(settings);
    table_->restore(settings);
    showExplorer(settings.value(QStringLiteral("window/explorer")).toBool());
    lastRun_ = settings.value(QStringLiteral("window/run")).toString().toStdString();
  }
  runsChanged();
}

MainWindow::~MainWindow() {
  // Charts borrow the series model, which goes with the session.
  disconnect(session_, nullptr, this, nullptr);
  dashboard_->setModel(nullptr);
  for (ChartCard* card : explorer_->cards()) card->plot()->setModel(nullptr);
}

void MainWindow::buildCentre() {
  auto* empty = new EmptyPage(this);
  connect(empty, &EmptyPage::demoRequested, this, [this] { startDemo(); });
  connect(empty, &EmptyPage::recipeRequested, this, &MainWindow::newRun);
  connect(empty, &EmptyPage::lessonsRequested, this, [this] { showLessons(true); });

  inner_->setObjectName(QStringLiteral("instrument"));
  instruments_->addWidget(dashboard_);
  instruments_->addWidget(explorer_);
  inner_->setCentralWidget(instruments_);
  control_->setExplorerAction(header_->explorerAction());
  connect(header_->explorerAction(), &QAction::toggled, this, &MainWindow::showExplorer);
  connect(explorer_, &ExplorerPanel::replicasChosen, control_->replicas(), &ReplicaButtons::choose);
  connect(explorer_, &ExplorerPanel::restartRequested, control_->restartButton(), &QPushButton::click);
  const auto offer = [this] {
    explorer_->setRestart({.replicas = control_->replicas()->chosen(),
                           .canChoose = control_->replicas()->isEnabled(),
                           .text = control_->restartButton()->text(),
                           .isPossible = control_->restartButton()->isEnabled()});
  };
  connect(control_->replicas(), &ReplicaButtons::chosenChanged, explorer_, offer);
  connect(control_, &ControlPanel::restartUpdated, explorer_, offer);
  connect(control_, &ControlPanel::explorerRequested, this, [this] { showExplorer(true); });
  auto* shown = new QWidget(this);
  runColumn_ = new QVBoxLayout(shown);
  runColumn_->setContentsMargins(14, 12, 14, 12);
  runColumn_->setSpacing(10);
  runColumn_->addWidget(header_);
  runColumn_->addWidget(inner_, 1);

  pages_->addWidget(empty);
  pages_->addWidget(shown);
  auto* centre = new QWidget(this);
  auto* row = new QHBoxLayout(centre);
  row->setContentsMargins(0, 0, 0, 0);
  row->setSpacing(0);
  row->addWidget(list_);
  row->addWidget(lessons_);
  row->addWidget(pages_, 1);
  row->addWidget(control_);
  faces_->addWidget(centre);
  faces_->addWidget(table_);
  setCentralWidget(faces_);
}

void MainWindow::buildDocks() {
  struct Entry {
    const char* name;
    QString title;
    QWidget* panel;
  };
  const Entry entries[] = {
      {"events", tr("Events"), new EventsPanel(session_, view_, this)},
      {"log", tr("Log"), new LogPanel(session_, view_, this)},
      {"checkpoints", tr("Checkpoints"), new CheckpointsPanel(session_, view_, this)},
      {"hyperparameters", tr("Hyperparameters"), new HyperparametersPanel(session_, this)},
      {"devices", tr("Devices"), new DevicesPanel(session_, view_, this)},
      {"comparison", tr("Compare"), new ComparisonPanel(compared_, view_, this)},
      {"differences", tr("Differences"), new DifferencesPanel(compared_, watcher_, this)}};
  QDockWidget* first = nullptr;
  for (const Entry& entry : entries) {
    auto* dock = new QDockWidget(entry.title, inner_);
    dock->setObjectName(QString::fromLatin1(entry.name));
    auto* card = new QFrame(dock);
    card->setObjectName(QStringLiteral("dockCard"));
    auto* inside = new QVBoxLayout(card);
    inside->setContentsMargins(1, 4, 1, 6);
    inside->addWidget(entry.panel);
    dock->setWidget(card);
    dock->setAllowedAreas(Qt::BottomDockWidgetArea);
    // In its place the tab is the title; afloat it needs one of its own.
    auto* noTitle = new QWidget(dock);
    dock->setTitleBarWidget(noTitle);
    connect(dock, &QDockWidget::topLevelChanged, dock,
            [dock, noTitle](bool isAfloat) { dock->setTitleBarWidget(isAfloat ? nullptr : noTitle); });
    inner_->addDockWidget(Qt::BottomDockWidgetArea, dock);
    docks_.push_back(dock);
    if (first == nullptr) {
      first = dock;
    } else {
      inner_->tabifyDockWidget(first, dock);
    }
  }
  inner_->setTabPosition(Qt::BottomDockWidgetArea, QTabWidget::North);
  inner_->setDockNestingEnabled(false);
  inner_->setDocumentMode(true);
  first->raise();
  defaultDocks_ = inner_->saveState();
}

void MainWindow::restoreDefaultLayout() {
  inner_->restoreState(defaultDocks_);
  // The charts come first: the docks take about a sixth of the window, in whole rows.
  constexpr int kFrame = 43, kRow = 20;
  const int rows = std::max(5, (height() / 6 - kFrame) / kRow);
  inner_->resizeDocks({inner_->findChild<QDockWidget*>(QStringLiteral("events"))}, {kFrame + rows * kRow},
                      Qt::Vertical);
}

bool MainWindow::eventFilter(QObject* watched, QEvent* event) {
  if (watched == list_ && event->type() == QEvent::Paint && !listIsDrawn_) {
    listIsDrawn_ = true;
    QTimer::singleShot(0, this, &MainWindow::runsChanged);
  }
  return QMainWindow::eventFilter(watched, event);
}

void MainWindow::resizeEvent(QResizeEvent* event) {
  QMainWindow::resizeEvent(event);
  // The charts need the width more than the names of runs do.
  const bool isNarrow = event->size().width() < 1400;
  list_->setFixedWidth(isNarrow ? 200 : 236);
  lessons_->setFixedWidth(isNarrow ? 270 : 320);
}

void MainWindow::showEvent(QShowEvent* event) {
  QMainWindow::showEvent(event);
  if (!hasLayout_) restoreDefaultLayout();
  hasLayout_ = true;
}

void MainWindow::buildStatusBar() {
  machine_ = new QLabel(tr("%n core(s)", nullptr, QThread::idealThreadCount()), this);
  if (QThread::idealThreadCount() != 1) machine_->setText(tr("%1 cores").arg(QThread::idealThreadCount()));
  store_ = new QLabel(this);
  recording_ = new QLabel(this);
  message_ = new ElidedLabel(this);
  message_->setObjectName(QStringLiteral("message"));
  for (QLabel* label : {machine_, store_, recording_}) statusBar()->addWidget(label);
  statusBar()->addWidget(message_, 1);
  messageTimer_.setSingleShot(true);
  messageTimer_.setInterval(15'000);
  connect(&messageTimer_, &QTimer::timeout, message_, &QLabel::clear);
  statusBar()->addPermanentWidget(new QLabel(tr("F1 shortcuts"), this));
  statusBar()->setSizeGripEnabled(false);
  const auto measure = [this] {
    store_->setText(tr("store %1").arg(formatBytes(storeSize(watcher_->file()))));
  };
  connect(&storeTimer_, &QTimer::timeout, this, measure);
  storeTimer_.start(10'000);
  measure();
}

void MainWindow::updateStatusBar() {
  if (!session_->isOpen()) return;
  if (session_->isConnected()) {
    const QSignalBlocker quiet(list_);
    runs_->setStatus(session_->status());
  }
  recording_->setText(session_->isConnected() ? tr("recording every step") : QString());
  setWindowTitle(tr("%1: %2 – BatchScope")
                     .arg(QString::fromStdString(session_->run().name), describe(session_->status()).text));
}

void MainWindow::runsChanged() {
  const QSignalBlocker quiet(list_);  // a row that goes makes its neighbour current, which opens nothing
  runs_->setRuns(watcher_->runs());
  if (comparison_->chosenCount() > 0) {
    std::set<std::string> ids;
    for (const storage::Run& run : watcher_->runs()) ids.insert(run.id);
    comparison_->keep(ids);
  }
  if (session_->isConnected()) runs_->setStatus(session_->status());
  if (!session_->isOpen() && wantsNewest_ && listIsDrawn_) openRun({});
  if (session_->isOpen()) list_->select(session_->run().id);
  pages_->setCurrentIndex(session_->isOpen() || (wantsNewest_ && !watcher_->runs().empty()) ? 1 : 0);
}

void MainWindow::sessionOpened() {
  view_->clear();
  dashboard_->setModel(session_->series());
  explorer_->sessionOpened();
  pages_->setCurrentIndex(session_->isOpen() ? 1 : 0);
  if (!session_->isOpen()) {
    recording_->clear();
    setWindowTitle(tr("BatchScope"));
  }
}

void MainWindow::showExplorer(bool isShown) {
  instruments_->setCurrentIndex(isShown ? 1 : 0);
  header_->explorerAction()->setChecked(isShown);
}

void MainWindow::showTable(bool isShown) {
  tableAction_->setChecked(isShown);
  if (isShown && session_->isOpen()) table_->select(session_->run().id);
  faces_->setCurrentIndex(isShown ? 1 : 0);
}

void MainWindow::openRun(const std::string& id) {
  const auto& runs = watcher_->runs();
  if (runs.empty()) return;
  std::string chosen = id;
  if (chosen.empty()) {
    const auto active =
        std::find_if(runs.begin(), runs.end(), [](const storage::Run& run) { return is_active(run.state); });
    const auto last = std::find_if(runs.begin(), runs.end(),
                                   [this](const storage::Run& run) { return run.id == lastRun_; });
    chosen = active != runs.end() ? active->id : last != runs.end() ? last->id : runs.front().id;
  }
  wantsNewest_ = false;
  session_->open(chosen);
  list_->select(chosen);
}

void MainWindow::startDemo(const QStringList& arguments) {
  try {
    const auto recipes = run::installed_recipes();
    const auto demo = std::find_if(recipes.begin(), recipes.end(),
                                   [](const run::Recipe& recipe) { return recipe.name == "digits"; });
    if (demo == recipes.end()) {
      say(tr("The demo is not built: build the target digits first."));
      return;
    }
    protocol::RunSpec spec = demo->spec();
    for (const storage::Run& run : watcher_->runs()) {
      if (is_active(run.state) && run.spec.program == spec.program) {
        openRun(run.id);
        return;
      }
    }
    spec.replicas = 2;
    if (!arguments.isEmpty()) {  // the rest is as the program itself would have it
      spec.arguments.clear();
      for (const QString& argument : arguments) spec.arguments.push_back(argument.toStdString());
    }
    say(tr("Starting the demo …"));
    launcher_->start(spec);
  } catch (const Error& error) {
    say(QString::fromUtf8(error.what()));
  }
}

void MainWindow::importRun(const QString& file) {
  say(tr("Taking in %1 …").arg(file));
  launcher_->import(file);
}

void MainWindow::newRun() {
  try {
    auto recipes = run::installed_recipes();
    if (recipes.empty()) {
      say(tr("No recipe is installed; start a program with: batchscope run PROGRAM"));
      return;
    }
    auto* dialog = new RecipeDialog(std::move(recipes), this);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    connect(dialog, &QDialog::accepted, this, [this, dialog] {
      try {
        say(tr("Starting …"));
        launcher_->start(dialog->spec());
      } catch (const Error& error) {
        say(QString::fromUtf8(error.what()));
      }
    });
    dialog->open();
  } catch (const Error& error) {
    say(QString::fromUtf8(error.what()));
  }
}

void MainWindow::say(const QString& message) {
  message_->setText(message);
  message_->setToolTip(message);
  messageTimer_.start();
}

void MainWindow::closeEvent(QCloseEvent* event) {
  if (remembers_) {
    QSettings settings;
    settings.setValue(QStringLiteral("window/geometry"), saveGeometry());
    settings.setValue(QStringLiteral("window/docks"), inner_->saveState());
    view_->save(settings);
    table_->save(settings);
    settings.setValue(QStringLiteral("window/explorer"), header_->explorerAction()->isChecked());
    settings.setValue(QStringLiteral("window/run"),
                      session_->isOpen() ? QString::fromStdString(session_->run().id) : QString());
  }
  QStringList training;
  for (const storage::Run& run : watcher_->runs()) {
    if (is_active(run.state) && run.state != protocol::RunState::paused)
      training << QString::fromStdString(run.name);
  }
  if (remembers_ && !training.isEmpty()) {
    const QString text =
        tr("%1 keeps training. Open BatchScope again to watch, or stop it with: batchscope stop %2")
            .arg(training.join(QStringLiteral(", ")), training.first());
    std::fprintf(stderr, "%s\n", qPrintable(text));
    auto* note = new Farewell(text);
    note->adjustSize();
    note->move(geometry().center() - note->rect().center());
    note->show();
  }
  event->accept();
}

}  // namespace batchscope::desktop
