// SPDX-License-Identifier: GPL-3.0-or-later
#include "window/instrument.h"

#include <QAction>
#include <QDockWidget>
#include <QFrame>
#include <QSettings>
#include <QStackedWidget>
#include <QTabBar>
#include <algorithm>
#include <iterator>

#include "look/box.h"

namespace batchscope::desktop {
namespace {

constexpr QLatin1String kDocks("window/docks"), kPanelHeight("window/panel-height");
constexpr QSize kSmallest(340, 160);  // of the charts, beside docks as tall as one likes

// Returns whether the dock is below, also behind another one's tab.
bool isBelow(const QDockWidget* dock) { return !dock->isHidden() && !dock->isFloating(); }

}  // namespace

Instrument::Instrument(QWidget* dashboard, QWidget* explorer, QWidget* scaling, QWidget* sharing,
                       QWidget* silent, const std::vector<Panel>& panels, QWidget* parent)
    : QMainWindow(parent, Qt::Widget),
      charts_(new QStackedWidget(this)),
      panels_(new QAction(tr("Bottom panel"), this)) {
  setObjectName(QStringLiteral("instrument"));
  charts_->addWidget(dashboard);
  for (QWidget* page : {explorer, scaling, sharing, silent}) charts_->addWidget(scrolled(page, this));
  charts_->setMinimumSize(kSmallest);
  setCentralWidget(charts_);
  for (const Panel& panel : panels) docks_.push_back(addDock(panel));
  for (QDockWidget* dock : docks_)
    if (dock != docks_.front()) tabifyDockWidget(docks_.front(), dock);
  setTabPosition(Qt::BottomDockWidgetArea, QTabWidget::North);
  setDockNestingEnabled(false);
  setDocumentMode(true);
  docks_.front()->raise();
  defaultDocks_ = saveState();
  panels_->setShortcut(QKeySequence(Qt::CTRL | Qt::Key_J));
  panels_->setCheckable(true);
  panels_->setChecked(true);
  connect(panels_, &QAction::triggered, this, &Instrument::showPanels);
}

QDockWidget* Instrument::addDock(const Panel& panel) {
  auto* dock = new QDockWidget(panel.title, this);
  dock->setObjectName(QLatin1String(panel.name));
  auto* card = new QFrame(dock);
  card->setObjectName(QStringLiteral("dockCard"));
  vbox(card, {1, 4, 1, 6}, -1, {panel.widget});
  dock->setWidget(card);
  dock->setAllowedAreas(Qt::BottomDockWidgetArea);
  // The tab in its place is the title; afloat it needs one of its own.
  auto* noTitle = new QWidget(dock);
  dock->setTitleBarWidget(noTitle);
  connect(dock, &QDockWidget::topLevelChanged, dock,
          [dock, noTitle](bool isAfloat) { dock->setTitleBarWidget(isAfloat ? nullptr : noTitle); });
  connect(dock->toggleViewAction(), &QAction::toggled, this, &Instrument::updatePanelsAction);
  addDockWidget(Qt::BottomDockWidgetArea, dock);
  return dock;
}

void Instrument::updatePanelsAction() { panels_->setChecked(std::ranges::any_of(docks_, isBelow)); }

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

void Instrument::showSilent(bool isShown) {
  isSilent_ = isShown;
  showPage();
}

void Instrument::showPage() {
  charts_->setCurrentIndex(isSharing_ ? 3 : isSilent_ ? 4 : isScaling_ ? 2 : isExplorer_ ? 1 : 0);
}

void Instrument::showPanels(bool areShown) {
  if (areShown) {
    for (QDockWidget* dock : hidden_.empty() ? docks_ : hidden_) dock->show();
    (hidden_.empty() ? docks_.front() : hidden_.back())->raise();
    return layOutPanels();
  }
  // The one in front comes back in front.
  hidden_.clear();
  std::copy_if(docks_.begin(), docks_.end(), std::back_inserter(hidden_), isBelow);
  std::ranges::stable_partition(hidden_,
                                [](const QDockWidget* dock) { return dock->visibleRegion().isEmpty(); });
  for (QDockWidget* dock : hidden_) {
    // Qt would hand the keyboard to whichever button comes next.
    if (dock->isAncestorOf(window()->focusWidget())) window()->setFocus();
    dock->hide();
  }
}

void Instrument::raisePanel(const QString& name) {
  if (!panels_->isChecked()) showPanels(true);
  auto* dock = findChild<QDockWidget*>(name);
  dock->show();
  dock->raise();
}

// Makes the docks as tall as they were dragged, as far as there is room: a window that comes up small and
// grows would keep them low.
void Instrument::layOutPanels() {
  const auto shown = std::ranges::find_if(docks_, isBelow);
  if (panelHeight_ > 0 && shown != docks_.end()) resizeDocks({*shown}, {panelHeight_}, Qt::Vertical);
}

void Instrument::restoreDefaultLayout() {
  panelHeight_ = 0;
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

// Returns the height of the docks below, with their tabs; 0: there are none.
int Instrument::panelHeight() const {
  const auto shown = std::ranges::find_if(
      docks_, [](const QDockWidget* dock) { return isBelow(dock) && !dock->visibleRegion().isEmpty(); });
  if (shown == docks_.end()) return 0;
  int top = (*shown)->y();
  for (const auto* tabs : findChildren<QTabBar*>(QString(), Qt::FindDirectChildrenOnly))
    if (tabs->isVisible()) top = std::min(top, tabs->y());
  return (*shown)->geometry().bottom() + 1 - top;
}

bool Instrument::event(QEvent* event) {
  const bool isTaken = QMainWindow::event(event);
  // The edge between the charts and the panels was let go.
  if (event->type() == QEvent::MouseButtonRelease)
    if (const int height = panelHeight(); height > 0) panelHeight_ = height;
  return isTaken;
}

void Instrument::resizeEvent(QResizeEvent* event) {
  QMainWindow::resizeEvent(event);
  layOutPanels();
}

void Instrument::save(QSettings& settings) const {
  settings.setValue(kDocks, saveState());
  settings.setValue(kPanelHeight, panelHeight_);
}

void Instrument::restore(const QSettings& settings) {
  hasLayout_ = restoreState(settings.value(kDocks).toByteArray());
  updatePanelsAction();  // docks do not tell before they are shown
  panelHeight_ = settings.value(kPanelHeight).toInt();
}

}  // namespace batchscope::desktop
