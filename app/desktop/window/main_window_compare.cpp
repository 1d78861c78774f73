// SPDX-License-Identifier: GPL-3.0-or-later
//
// Comparing runs: their menu and legend, and the chosen runs' series on the charts.
#include <QDockWidget>
#include <QMenuBar>
#include <QVBoxLayout>

#include "chart/dashboard.h"
#include "compare/compare_menu.h"
#include "compare/compared_series.h"
#include "compare/comparison_bar.h"
#include "compare/comparison_panel.h"
#include "session/comparison.h"
#include "window/main_window.h"

namespace batchscope::desktop {

void MainWindow::buildCompareMenu() {
  auto* menu = new CompareMenu(comparison_, tableAction_, this);
  menuBar()->addMenu(menu);
  auto* bar = new ComparisonBar(comparison_, compared_, menu->groupsAction(), menu->clearAction(), this);
  runColumn_->insertWidget(1, bar);

  std::set<std::string> series = dashboard_->series();
  series.merge(ComparisonModel::series());
  compared_->want(series);
  const auto show = [this, menu] { dashboard_->setCompared(compared_->sceneRuns(), menu->bands()); };
  connect(compared_, &ComparedSeries::changed, dashboard_, show);
  connect(menu, &CompareMenu::bandsChanged, dashboard_, show);
  connect(compared_, &ComparedSeries::samplesChanged, dashboard_, &Dashboard::refresh);
  connect(compared_, &ComparedSeries::failed, this, &MainWindow::say);

  const auto open = [this](const QString& id) { openRun(id.toStdString()); };
  connect(bar, &ComparisonBar::runOpened, this, open);
  connect(findChild<ComparisonPanel*>(), &ComparisonPanel::runOpened, this, open);
  connect(bar, &ComparisonBar::moreRequested, this, [this] { raiseDock("comparison"); });
  connect(menu, &CompareMenu::valuesRequested, this, [this] { raiseDock("comparison"); });
  connect(menu, &CompareMenu::differencesRequested, this, [this] { raiseDock("differences"); });
}

void MainWindow::raiseDock(const char* name) {
  showTable(false);
  auto* dock = inner_->findChild<QDockWidget*>(QString::fromLatin1(name));
  dock->show();
  dock->raise();
}

}  // namespace batchscope::desktop
