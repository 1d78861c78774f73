// SPDX-License-Identifier: GPL-3.0-or-later
#include "window/instrument.h"

#include <QDockWidget>
#include <QFrame>
#include <QSettings>
#include <QStackedWidget>
#include <algorithm>

#include "look/box.h"

namespace batchscope::desktop {
namespace {

constexpr QLatin1String kDocks("window/docks");

}  // namespace

Instrument::Instrument(QWidget* dashboard, QWidget* explorer, QWidget* scaling, QWidget* sharing,
                       const std::vector<Panel>& panels, QWidget* parent)
    : QMainWindow(parent, Qt::Widget), charts_(new QStackedWidget(this)) {
  setObjectName(QStringLiteral("instrument"));
  charts_->addWidget(dashboard);
  charts_->addWidget(explorer);
  charts_->addWidget(scaling);
  charts_->addWidget(sharing);
  setCentralWidget(charts_);
  for (const Panel& panel : panels) docks_.push_back(addDock(panel));
  for (QDockWidget* dock : docks_)
    if (dock != docks_.front()) tabifyDockWidget(docks_.front(), dock);
  setTabPosition(Qt::BottomDockWidgetArea, QTabWidget::North);
  setDockNestingEnabled(false);
  setDocumentMode(true);
  docks_.front()->raise();
  defaultDocks_ = saveState();
}

QDockWidget* Instrument::addDock(const Panel& panel) {
  auto* dock = new QDockWidget(panel.title, this);
  dock->setObjectName(QLatin1String(panel.name));
  auto* card = new QFrame(dock);
  card->setObjectName(QStringLiteral("dockCard"));
  vbox(card, {1, 4, 1, 6}, -1, {panel.widget});
  dock->setWidget(card);
  dock->setAllowedAreas(Qt::BottomDockWidgetArea);
  // In its place the tab is the title; afloat it needs one of its own.
  auto* noTitle = new QWidget(dock);
  dock->setTitleBarWidget(noTitle);
  connect(dock, &QDockWidget::topLevelChanged, dock,
          [dock, noTitle](bool isAfloat) { dock->setTitleBarWidget(isAfloat ? nullptr : noTitle); });
  addDockWidget(Qt::BottomDockWidgetArea, dock);
  return dock;
}

void Instrument::showExplorer(bool isShown) {
  isExplorer_ = isShown;
  isSharing_ = false;
  showPage();
}

void Instrument::showScaling(bool isShown) {
  isScaling_ = isShown;
  isSharing_ = false;
  showPage();
}

void Instrument::showSharing(bool isShown) {
  isSharing_ = isShown;
  showPage();
}

void Instrument::showPage() {
  charts_->setCurrentIndex(isSharing_ ? 3 : isScaling_ ? 2 : isExplorer_ ? 1 : 0);
}

void Instrument::raisePanel(const QString& name) {
  auto* dock = findChild<QDockWidget*>(name);
  dock->show();
  dock->raise();
}

void Instrument::restoreDefaultLayout() {
  restoreState(defaultDocks_);
  // The charts come first: the docks take about a sixth of the window, in whole rows.
  constexpr int kFrame = 43, kRow = 20;
  const int rows = std::max(5, (window()->height() / 6 - kFrame) / kRow);
  resizeDocks({docks_.front()}, {kFrame + rows * kRow}, Qt::Vertical);
}

void Instrument::showEvent(QShowEvent* event) {
  QMainWindow::showEvent(event);
  if (!hasLayout_) restoreDefaultLayout();
  hasLayout_ = true;
}

void Instrument::save(QSettings& settings) const { settings.setValue(kDocks, saveState()); }

void Instrument::restore(const QSettings& settings) {
  hasLayout_ = restoreState(settings.value(kDocks).toByteArray());
}

}  // namespace batchscope::desktop
