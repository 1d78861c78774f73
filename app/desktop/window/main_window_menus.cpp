// SPDX-License-Identifier: GPL-3.0-or-later
//
// The menus of the main window, through which every action has a place and a key.
#include <QAction>
#include <QActionGroup>
#include <QApplication>
#include <QDockWidget>
#include <QLabel>
#include <QMenuBar>
#include <QMessageBox>
#include <QPushButton>
#include <QSettings>
#include <algorithm>

#include "batchscope/protocol/series.h"
#include "chart/dashboard.h"
#include "chart/view_state.h"
#include "control/control_panel.h"
#include "control/replica_buttons.h"
#include "lessons/lesson_model.h"
#include "lessons/lesson_panel.h"
#include "look/theme.h"
#include "runs/header_bar.h"
#include "runs/run_list_panel.h"
#include "runs/run_table_page.h"
#include "session/run_session.h"
#include "share/share_menu.h"
#include "window/main_window.h"
#include "window/shortcut_sheet.h"

namespace batchscope::desktop {
namespace {

template <typename Owner, typename Slot>
QAction* add(QMenu* menu, const QString& text, const QKeySequence& keys, Owner* owner, Slot slot) {
  QAction* action = menu->addAction(text);
  action->setShortcut(keys);
  QObject::connect(action, &QAction::triggered, owner, slot);
  return action;
}

}  // namespace

void MainWindow::buildMenus() {
  auto* brand = new QLabel(tr("BatchScope"), this);
  brand->setObjectName(QStringLiteral("brand"));
  menuBar()->setCornerWidget(brand, Qt::TopLeftCorner);
  menuBar()->setNativeMenuBar(false);
  buildRunMenu();
  buildViewMenu();
  buildCompareMenu();
  buildShareMenu();
  buildLearnMenu();
  buildHelpMenu();
}

void MainWindow::buildRunMenu() {
  QMenu* menu = menuBar()->addMenu(tr("&Run"));
  add(menu, tr("New run …"), QKeySequence::New, this, &MainWindow::newRun);
  add(menu, tr("Start the demo"), Qt::CTRL | Qt::Key_D, this, [this] { startDemo(); });
  menu->addSeparator();
  add(menu, tr("Fewer replicas"), Qt::CTRL | Qt::Key_Down, this, [this] { control_->replicas()->step(-1); });
  add(menu, tr("More replicas"), Qt::CTRL | Qt::Key_Up, this, [this] { control_->replicas()->step(1); });
  add(menu, tr("Restart on the chosen replicas"), Qt::CTRL | Qt::Key_Return, this,
      [this] { control_->restartButton()->click(); });
  menu->addSeparator();
  add(menu, tr("Checkpoint"), QKeySequence::Save, this, [this] { control_->checkpointButton()->click(); });
  add(menu, tr("Pause or resume"), Qt::CTRL | Qt::Key_P, this, [this] { control_->pauseButton()->click(); });
  add(menu, tr("Stop …"), Qt::CTRL | Qt::Key_Period, this, [this] { control_->stopButton()->click(); });
  addCheckpointActions(menu);
  menu->addSeparator();
  add(menu, tr("Find a run"), QKeySequence::Find, this, [this] {
    if (tableAction_->isChecked()) {
      table_->focusSearch();
    } else {
      list_->focusSearch();
    }
  });
  add(menu, tr("Next run"), Qt::ALT | Qt::Key_Down, this, [this] { list_->selectNeighbour(1); });
  add(menu, tr("Previous run"), Qt::ALT | Qt::Key_Up, this, [this] { list_->selectNeighbour(-1); });
  menu->addSeparator();
  add(menu, tr("Quit, training goes on"), QKeySequence::Quit, this, &QWidget::close);
}

void MainWindow::buildViewMenu() {
  QMenu* menu = menuBar()->addMenu(tr("&View"));
  menu->addAction(header_->explorerAction());
  menu->addSeparator();
  menu->addAction(header_->followAction());
  menu->addMenu(header_->axisMenu());
  menu->addMenu(header_->smoothingMenu());
  menu->addAction(header_->logAction());
  QAction* logX = add(menu, tr("Log x"), Qt::SHIFT | Qt::Key_L, view_, &ViewState::setLogX);
  logX->setCheckable(true);
  connect(view_, &ViewState::changed, logX, [this, logX] { logX->setChecked(view_->logX()); });
  QAction* peaks = add(menu, tr("Fit every peak"), Qt::Key_O, view_, &ViewState::setShowsPeaks);
  peaks->setCheckable(true);
  menu->addSeparator();
  add(menu, tr("Zoom in"), Qt::Key_Plus, this, [this] { zoom(0.7); });
  add(menu, tr("Zoom out"), Qt::Key_Minus, this, [this] { zoom(1 / 0.7); });
  add(menu, tr("Pan left"), Qt::SHIFT | Qt::Key_Left, this, [this] { pan(-0.2); });
  add(menu, tr("Pan right"), Qt::SHIFT | Qt::Key_Right, this, [this] { pan(0.2); });
  QAction* undo = add(menu, tr("Undo zoom or pan"), QKeySequence::Undo, view_, &ViewState::undoZoom);
  QAction* redo =
      add(menu, tr("Redo zoom or pan"), Qt::CTRL | Qt::SHIFT | Qt::Key_Z, view_, &ViewState::redoZoom);
  const auto enable = [this, undo, redo] {
    undo->setEnabled(view_->canUndo());
    redo->setEnabled(view_->canRedo());
  };
  connect(view_, &ViewState::changed, this, enable);
  enable();
  menu->addAction(header_->resetAction());
  menu->addSeparator();
  add(menu, tr("Cross-hair left"), Qt::Key_Comma, this, [this] { moveCursor(-1); });
  add(menu, tr("Cross-hair right"), Qt::Key_Period, this, [this] { moveCursor(1); });
  add(menu, tr("Hide the cross-hair"), Qt::Key_Escape, this, [this] { view_->setCursor({}); });
  menu->addSeparator();

  QMenu* panels = menu->addMenu(tr("Panels"));
  const auto toggle = [&](const QString& text, const QKeySequence& keys, QWidget* panel) {
    QAction* action = panels->addAction(text);
    action->setShortcut(keys);
    action->setCheckable(true);
    action->setChecked(true);
    connect(action, &QAction::toggled, panel, &QWidget::setVisible);
  };
  toggle(tr("Runs"), Qt::CTRL | Qt::Key_B, list_);
  toggle(tr("Control"), Qt::CTRL | Qt::Key_R, control_);
  int key = Qt::Key_1;
  for (QDockWidget* dock : docks_) {
    add(panels, dock->windowTitle(), QKeySequence(Qt::CTRL | static_cast<Qt::Key>(key++)), dock, [dock] {
      dock->show();
      dock->raise();
    });
  }
  for (QDockWidget* dock : docks_) {
    QAction* action = dock->toggleViewAction();
    action->setText(tr("Show %1").arg(dock->windowTitle()));
    panels->addAction(action);
  }
  panels->addSeparator();
  panels->addAction(tr("Restore the default layout"), this, &MainWindow::restoreDefaultLayout);

  QMenu* themes = menu->addMenu(tr("Theme"));
  auto* group = new QActionGroup(this);
  for (const auto& [text, mode] :
       {std::pair(tr("As the system"), Theme::Mode::System), std::pair(tr("Light"), Theme::Mode::Light),
        std::pair(tr("Dark"), Theme::Mode::Dark)}) {
    QAction* action = themes->addAction(text);
    group->addAction(action);
    action->setCheckable(true);
    action->setChecked(themeMode() == mode);
    connect(action, &QAction::triggered, this, [mode = mode] {
      applyTheme(mode, isColourBlindTheme());
      QSettings().setValue(QStringLiteral("window/theme"), static_cast<int>(mode));
    });
  }
  themes->addSeparator();
  QAction* blind = themes->addAction(tr("Colours for the colour-blind"));
  blind->setCheckable(true);
  blind->setChecked(isColourBlindTheme());
  connect(blind, &QAction::triggered, this, [](bool on) {
    applyTheme(themeMode(), on);
    QSettings().setValue(QStringLiteral("window/colour-blind"), on);
  });
}

void MainWindow::buildShareMenu() {
  auto* menu = new ShareMenu(session_, dashboard_, this);
  menuBar()->addMenu(menu);
  connect(menu, &ShareMenu::said, this, &MainWindow::say);
  for (ChartCard* card : dashboard_->cards()) {
    card->setContextMenuPolicy(Qt::CustomContextMenu);
    connect(card, &QWidget::customContextMenuRequested, this, [this, menu, card](const QPoint& at) {
      QMenu own(this);
      own.addAction(tr("Save the chart as a picture …"), menu, [menu, card] { menu->saveChart(card); });
      own.addAction(tr("Save its data …"), menu, [menu, card] {
        menu->saveData(card->plot()->spec().series(), card->plot()->spec().title);
      });
      own.exec(card->mapToGlobal(at));
    });
  }
}

void MainWindow::buildLearnMenu() {
  QMenu* menu = menuBar()->addMenu(tr("&Learn"));
  add(menu, tr("Lessons"), Qt::CTRL | Qt::Key_L, this, [this] { showLessons(true); });
  add(menu, tr("Next page"), Qt::ALT | Qt::Key_Right, this, [this] { lessons_->turn(1); });
  add(menu, tr("Previous page"), Qt::ALT | Qt::Key_Left, this, [this] { lessons_->turn(-1); });
  add(menu, tr("Back to the runs"), Qt::CTRL | Qt::SHIFT | Qt::Key_L, this, [this] { showLessons(false); });
  menu->addSeparator();
  const LessonModel* model = lessons_->model();
  for (int row = 0; row < model->rowCount(); ++row) {
    add(menu, model->lesson(row).title, {}, this, [this, row] {
      showLessons(true);
      lessons_->start(row);
    });
  }
}

void MainWindow::buildHelpMenu() {
  QMenu* menu = menuBar()->addMenu(tr("&Help"));
  add(menu, tr("Keyboard shortcuts"), QKeySequence(Qt::Key_F1), this, [this] {
    auto* sheet = new ShortcutSheet(menuBar(), this);
    sheet->setAttribute(Qt::WA_DeleteOnClose);
    sheet->show();
  });
  add(menu, tr("About BatchScope"), {}, this, [this] {
    QMessageBox::about(
        this, tr("About BatchScope"),
        tr("BatchScope %1\n\nAn oscilloscope for elastic training.\n\nThe window is free software "
           "under the GPL, version 3 or later; the engine under the Apache License 2.0.")
            .arg(QApplication::applicationVersion()));
  });
}

void MainWindow::zoom(double factor) {
  SeriesModel* model = session_->series();
  if (model == nullptr) return;
  const auto range = view_->range(*model, view_->axis());
  // A followed view keeps its newest step.
  const double centre = view_->follows() ? range.high : view_->shifted(range, range.low, 0.5);
  view_->zoomBy(*model, view_->axis(), centre, factor);
}

void MainWindow::pan(double fraction) {
  if (SeriesModel* model = session_->series()) view_->panBy(*model, view_->axis(), fraction);
}

void MainWindow::moveCursor(int steps) {
  SeriesModel* model = session_->series();
  if (model == nullptr) return;
  const XAxis axis = view_->axis();
  const auto range = view_->range(*model, axis);
  if (!view_->cursor()) {
    view_->setCursor(model->nearest(axis, (range.low + range.high) / 2));
    return;
  }
  // A two-hundredth of the view, and where steps stand wider apart than that, one step.
  const StepRef now = *view_->cursor();
  const double x = model->position(axis, now).value_or(range.low);
  auto next = model->nearest(axis, view_->shifted(range, x, steps / 200.0));
  if (next == now) {
    const GenerationSpan* span = model->generation(now.generation);
    next->step = std::clamp(now.step + steps, span->first, std::min(span->last, span->lostFrom - 1));
  }
  view_->setCursor(next);
}

}  // namespace batchscope::desktop
