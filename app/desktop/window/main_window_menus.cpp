// SPDX-License-Identifier: GPL-3.0-or-later
//
// The menus, through which every action has a place and a key.
#include <QAction>
#include <QApplication>
#include <QDockWidget>
#include <QMenuBar>
#include <QMessageBox>
#include <QPushButton>
#include <QShortcut>

#include "chart/dashboard.h"
#include "compare/compare_menu.h"
#include "control/control_panel.h"
#include "control/replica_buttons.h"
#include "lessons/lesson_model.h"
#include "lessons/lesson_panel.h"
#include "look/box.h"
#include "look/panel_button.h"
#include "look/toast.h"
#include "records/checkpoints_panel.h"
#include "runs/header_bar.h"
#include "runs/run_actions.h"
#include "runs/run_edits.h"
#include "runs/run_list_panel.h"
#include "runs/trash_dialog.h"
#include "scaling/scaling_page.h"
#include "session/run_session.h"
#include "share/share_menu.h"
#include "window/charts_menu.h"
#include "window/edit_menu.h"
#include "window/instrument.h"
#include "window/main_window.h"
#include "window/pages.h"
#include "window/presentation.h"
#include "window/replay_bar.h"
#include "window/run_starter.h"
#include "window/shortcut_sheet.h"
#include "window/side_panels.h"
#include "window/view_menu.h"

namespace batchscope::desktop {

void MainWindow::buildMenus() {
  menuBar()->setCornerWidget(named("brand", this, tr("BatchScope")), Qt::TopLeftCorner);
  menuBar()->setNativeMenuBar(false);
  fillRunMenu(menuBar()->addMenu(tr("&Run")));
  auto* edit = new EditMenu(edits_->stack(), view_, actions_, this);
  menuBar()->addMenu(edit);
  connect(edit, &EditMenu::trashRequested, this, [this] {
    auto* trash = new TrashDialog(watcher_, edits_, this);
    trash->setAttribute(Qt::WA_DeleteOnClose);
    trash->open();
  });
  auto* view = new ViewMenu(session_, view_, dashboard_, header_, {queueAction_, sweepAction_}, this);
  menuBar()->addMenu(view);
  connect(view, &ViewMenu::backRequested, this, &MainWindow::goBack);
  for (QAction* action : {header_->explorerAction(), header_->scalingAction()}) tellsWithoutRun(action);
  auto* charts = new ChartsMenu(dashboard_, this);
  view->addMenu(charts);
  connect(charts, &ChartsMenu::presentationRequested, this,
          [this](int place) { (new Presentation(dashboard_, place, session_, this))->showFullScreen(); });
  view->addActions({replay_->replayAction(), replay_->playAction()});
  fillPanelsMenu(view->addMenu(tr("Panels")));
  view->addMenu(makeThemeMenu(this));
  menuBar()->addMenu(compare_);
  for (QAction* action : {compare_->valuesAction(), compare_->differencesAction()}) needsRun(action);
  auto* share = new ShareMenu(session_, dashboard_, this);
  menuBar()->addMenu(share);
  share->addFigures(scaling_->cards(), [this] { scaling_->draw(); });
  connect(share, &ShareMenu::said, toasts_, &Toasts::say);
  fillLearnMenu(menuBar()->addMenu(tr("&Learn")));
  fillHelpMenu(menuBar()->addMenu(tr("&Help")));
}

// Disables the action, and its key, where no run is open.
void MainWindow::needsRun(QAction* action) {
  const auto enable = [this, action] { action->setEnabled(session_->isOpen()); };
  connect(session_, &RunSession::opened, action, enable);
  enable();
}

// Lets the action's key say why nothing happens where it cannot be chosen.
void MainWindow::tellsWithoutRun(QAction* action) {
  auto* key = new QShortcut(action->shortcut(), this);
  connect(key, &QShortcut::activated, this, [this, action] {
    const QString what = action->text().remove(QLatin1Char('&'));
    toasts_->say(hasRun_
                     ? tr("“%1” belongs to a run, and this page shows none: Esc goes back.").arg(what)
                     : tr("“%1” belongs to a run, and there is none yet: Ctrl+D starts the demo.").arg(what));
  });
  const auto enable = [key, action] { key->setEnabled(!action->isEnabled()); };
  connect(action, &QAction::enabledChanged, key, enable);
  enable();
}

void MainWindow::fillRunMenu(QMenu* menu) {
  menu->addAction(tr("New run …"), QKeySequence::New, starter_, [this] { starter_->newRun(); });
  menu->addAction(actions_->cloneAction());
  menu->addAction(tr("Import …"), QKeySequence::Open, starter_, &RunStarter::chooseImports);
  menu->addAction(tr("Start the demo"), Qt::CTRL | Qt::Key_D, this, [this] { startDemo(); });
  menu->addSeparator();
  ReplicaButtons* replicas = control_->replicas();
  needsRun(menu->addAction(tr("Fewer replicas"), Qt::CTRL | Qt::Key_Down, this,
                           [replicas] { replicas->step(-1); }));
  needsRun(
      menu->addAction(tr("More replicas"), Qt::CTRL | Qt::Key_Up, this, [replicas] { replicas->step(1); }));
  const auto press = [menu](const QString& text, const QKeySequence& keys, QPushButton* button) {
    menu->addAction(text, keys, button, &QPushButton::click);
  };
  press(tr("Restart on the chosen replicas"), Qt::CTRL | Qt::Key_Return, control_->restartButton());
  menu->addSeparator();
  press(tr("Checkpoint"), QKeySequence::Save, control_->checkpointButton());
  press(tr("Pause or resume"), Qt::CTRL | Qt::Key_P, control_->pauseButton());
  press(tr("Stop …"), Qt::CTRL | Qt::Key_Period, control_->stopButton());
  menu->addActions({checkpoints_->forkAction(), checkpoints_->resumeAction()});
  menu->addSeparator();
  menu->addAction(tr("Find a run"), QKeySequence::Find, this, [this] {
    if (page_ == Page::Learn) showPage(Page::Run);
    pages_->focusSearch();
  });
  menu->addAction(tr("Next run"), Qt::ALT | Qt::Key_Down, this, [this] { list_->selectNeighbour(1); });
  menu->addAction(tr("Previous run"), Qt::ALT | Qt::Key_Up, this, [this] { list_->selectNeighbour(-1); });
  menu->addSeparator();
  menu->addAction(tr("Quit, training goes on"), QKeySequence::Quit, this, &QWidget::close);
}

void MainWindow::fillPanelsMenu(QMenu* menu) {
  SidePanels* sides = pages_->sides();
  auto* corner = new QWidget(this);
  QHBoxLayout* buttons = hbox(corner, {0, 0, 12, 0}, 0, {});
  for (const auto& [action, edge] : {std::pair(sides->leftAction(), Qt::LeftEdge),
                                     {instrument_->panelsAction(), Qt::BottomEdge},
                                     {sides->rightAction(), Qt::RightEdge}}) {
    menu->addAction(action);
    buttons->addWidget(new PanelButton(action, edge, corner));
  }
  menuBar()->setCornerWidget(corner, Qt::TopRightCorner);
  needsRun(instrument_->panelsAction());
  menu->addSeparator();
  int key = Qt::Key_1;
  for (const QDockWidget* dock : instrument_->docks()) {
    needsRun(menu->addAction(dock->windowTitle(), Qt::CTRL | static_cast<Qt::Key>(key++), instrument_,
                             [this, name = dock->objectName()] { instrument_->raisePanel(name); }));
  }
  for (const QDockWidget* dock : instrument_->docks()) {
    QAction* action = dock->toggleViewAction();
    action->setText(tr("Show %1").arg(dock->windowTitle()));
    menu->addAction(action);
    needsRun(action);
  }
  menu->addSeparator();
  menu->addAction(tr("Restore the default layout"), this, [this] {
    instrument_->restoreDefaultLayout();
    dashboard_->restoreDefaultLayout();
  });
}

void MainWindow::fillLearnMenu(QMenu* menu) {
  menu->addAction(tr("Lessons"), Qt::CTRL | Qt::Key_L, this, [this] { showPage(Page::Learn); });
  menu->addAction(tr("Next page"), Qt::ALT | Qt::Key_Right, this, [this] { lessons_->turn(1); });
  menu->addAction(tr("Previous page"), Qt::ALT | Qt::Key_Left, this, [this] { lessons_->turn(-1); });
  menu->addAction(tr("Back to the runs"), Qt::CTRL | Qt::SHIFT | Qt::Key_L, this,
                  [this] { showPage(Page::Run); });
  menu->addSeparator();
  const LessonModel* model = lessons_->model();
  for (int row = 0; row < model->rowCount(); ++row) {
    menu->addAction(model->lesson(row).title, this, [this, row] {
      showPage(Page::Learn);
      lessons_->start(row);
    });
  }
}

void MainWindow::fillHelpMenu(QMenu* menu) {
  menu->addAction(tr("Keyboard shortcuts"), Qt::Key_F1, this, [this] {
    auto* sheet = new ShortcutSheet(menuBar(), this);
    sheet->setAttribute(Qt::WA_DeleteOnClose);
    sheet->show();
  });
  menu->addAction(tr("Make a program elastic"), this, &MainWindow::showGuide);
  menu->addAction(tr("About BatchScope"), this, [this] {
    QMessageBox::about(
        this, tr("About BatchScope"),
        tr("BatchScope %1\n\nAn oscilloscope for elastic training.\n\nThe window is free software "
           "under the GPL, version 3 or later; the engine under the Apache License 2.0.")
            .arg(QApplication::applicationVersion()));
  });
}

}  // namespace batchscope::desktop
