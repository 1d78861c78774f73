// SPDX-License-Identifier: GPL-3.0-or-later
//
// Lessons: the room that is made for them, and what their pages ask of the window.
#include <QDockWidget>
#include <QListView>
#include <QSettings>
#include <QSlider>
#include <algorithm>

#include "batchscope/protocol/error.h"
#include "batchscope/run/recipe.h"
#include "chart/dashboard.h"
#include "chart/goodput_curve.h"
#include "control/control_panel.h"
#include "control/replica_buttons.h"
#include "explorer/explorer_panel.h"
#include "lessons/lesson_model.h"
#include "lessons/lesson_panel.h"
#include "lessons/lesson_stage.h"
#include "runs/run_list_panel.h"
#include "session/catalogue_watcher.h"
#include "session/launcher.h"
#include "window/main_window.h"

namespace batchscope::desktop {
namespace {

constexpr QLatin1String kDone("lessons/done");

}  // namespace

void MainWindow::buildLessons() {
  lessons_->hide();
  std::vector<ChartCard*> charts = dashboard_->cards();
  charts.insert(charts.end(), explorer_->cards().begin(), explorer_->cards().end());
  auto* stage = new LessonStage({.watcher = watcher_,
                                 .session = session_,
                                 .view = view_,
                                 .launcher = launcher_,
                                 .charts = charts,
                                 .cards = {{QStringLiteral("curve"), explorer_->curve()->parentWidget()},
                                           {QStringLiteral("what-if"), explorer_->slider()->parentWidget()}}},
                                lessons_, this);
  connect(stage, &LessonStage::runRequested, this, [this](const QString& id) { openRun(id.toStdString()); });
  connect(stage, &LessonStage::explorerRequested, this, &MainWindow::showExplorer);
  connect(stage, &LessonStage::replicasChosen, control_->replicas(), &ReplicaButtons::choose);
  connect(stage, &LessonStage::panelRequested, this, [this](const QString& name) {
    auto* dock = inner_->findChild<QDockWidget*>(name);
    dock->show();
    dock->raise();
  });
  connect(stage, &LessonStage::said, this, &MainWindow::say);
  connect(lessons_, &LessonPanel::closed, this, [this] { showLessons(false); });
  connect(lessons_, &LessonPanel::launchRequested, this, &MainWindow::launchLesson);
  if (!remembers_) return;
  lessons_->model()->setDone(QSettings().value(kDone).toStringList());
  connect(lessons_->model(), &LessonModel::dataChanged, this,
          [this] { QSettings().setValue(kDone, lessons_->model()->done()); });
}

void MainWindow::showLessons(bool isShown) {
  if (isShown) {
    showTable(false);
  } else {
    lessons_->showList();
  }
  // One goes before the other comes, or the window would grow to hold both.
  (isShown ? static_cast<QWidget*>(list_) : lessons_)->hide();
  (isShown ? static_cast<QWidget*>(lessons_) : list_)->show();
  if (isShown && lessons_->page() == nullptr) lessons_->list()->setFocus();
}

void MainWindow::launchLesson(const Launch& launch) {
  try {
    const auto recipes = run::installed_recipes();
    const auto recipe = std::find_if(recipes.begin(), recipes.end(),
                                     [&](const run::Recipe& each) { return each.name == launch.recipe; });
    if (recipe == recipes.end())
      throw Error(
          ErrorKind::not_found,
          "the recipe " + launch.recipe + " is not installed: build the example " + launch.recipe + " first");
    protocol::RunSpec spec = recipe->spec(launch.values);
    if (launch.replicas > 0) spec.replicas = launch.replicas;
    say(tr("Starting …"));
    launcher_->start(spec);
  } catch (const Error& error) {
    say(QString::fromUtf8(error.what()));
  }
}

}  // namespace batchscope::desktop
