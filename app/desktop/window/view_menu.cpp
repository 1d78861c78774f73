// SPDX-License-Identifier: GPL-3.0-or-later
#include "window/view_menu.h"

#include <QActionGroup>
#include <QSettings>
#include <algorithm>

#include "chart/dashboard.h"
#include "look/theme.h"
#include "runs/header_bar.h"
#include "series/view_state.h"
#include "session/run_session.h"

namespace batchscope::desktop {

ViewMenu::ViewMenu(RunSession* session, ViewState* view, Dashboard* dashboard, const HeaderBar* header,
                   const QList<QAction*>& pages, QWidget* parent)
    : QMenu(tr("&View"), parent), session_(session), view_(view) {
  addAction(header->explorerAction());
  addAction(header->scalingAction());
  addActions(pages);
  addSeparator();
  addAction(header->followAction());
  addMenu(header->axisMenu());
  addMenu(header->smoothingMenu());
  addAction(header->logAction());
  QAction* logX = addAction(tr("Log x"), Qt::SHIFT | Qt::Key_L, view_, &ViewState::setLogX);
  logX->setCheckable(true);
  connect(view_, &ViewState::changed, logX, [this, logX] { logX->setChecked(view_->logX()); });
  addAction(tr("Fit every peak"), Qt::Key_O, view_, &ViewState::setShowsPeaks)->setCheckable(true);
  addSeparator();
  addAction(tr("Zoom in"), Qt::Key_Plus, this, [this] { zoom(0.7); });
  addAction(tr("Zoom out"), Qt::Key_Minus, this, [this] { zoom(1 / 0.7); });
  addAction(tr("Pan left"), Qt::SHIFT | Qt::Key_Left, this, [this] { pan(-0.2); });
  addAction(tr("Pan right"), Qt::SHIFT | Qt::Key_Right, this, [this] { pan(0.2); });
  QAction* undo = addAction(tr("Undo zoom or pan"), view_, &ViewState::undoZoom);
  QAction* redo = addAction(tr("Redo zoom or pan"), view_, &ViewState::redoZoom);
  const auto enable = [this, undo, redo] {
    undo->setEnabled(view_->canUndo());
    redo->setEnabled(view_->canRedo());
  };
  connect(view_, &ViewState::changed, this, enable);
  enable();
  addAction(header->resetAction());
  addSeparator();
  addAction(tr("Cross-hair left"), Qt::Key_Comma, this, [this] { moveCursor(-1); });
  addAction(tr("Cross-hair right"), Qt::Key_Period, this, [this] { moveCursor(1); });
  QAction* back = addAction(tr("Back: all charts, no cross-hair, or the page before"), Qt::Key_Escape, this,
                            [this, dashboard] {
                              if (dashboard->isVisible() && dashboard->enlarged() != nullptr)
                                dashboard->enlarge(nullptr);
                              else if (dashboard->isVisible() && view_->cursor())
                                view_->setCursor({});
                              else
                                Q_EMIT backRequested();
                            });
  addSeparator();
  // These actions enable themselves.
  const QList<QAction*> own =
      pages + QList<QAction*>{
                  header->explorerAction(), header->scalingAction(), undo, redo, header->resetAction(), back};
  // Without a run a key would have no visible effect.
  const auto enableForRun = [this, own, all = actions()] {
    for (QAction* action : all)
      if (!own.contains(action)) action->setEnabled(session_->isOpen());
  };
  connect(session_, &RunSession::opened, this, enableForRun);
  enableForRun();
}

void ViewMenu::zoom(double factor) {
  SeriesModel* model = session_->series();
  if (model == nullptr) return;
  const auto range = view_->range(*model, view_->axis());
  // A followed view keeps its newest step.
  const double centre = view_->follows() ? range.high : view_->shifted(range, range.low, 0.5);
  view_->zoomBy(*model, view_->axis(), centre, factor);
}

void ViewMenu::pan(double fraction) {
  if (SeriesModel* model = session_->series()) view_->panBy(*model, view_->axis(), fraction);
}

void ViewMenu::moveCursor(int steps) {
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

QMenu* makeThemeMenu(QWidget* parent) {
  auto* menu = new QMenu(ViewMenu::tr("Theme"), parent);
  auto* group = new QActionGroup(menu);
  for (const auto& [text, mode] : {std::pair(ViewMenu::tr("As the system"), Theme::Mode::System),
                                   std::pair(ViewMenu::tr("Light"), Theme::Mode::Light),
                                   std::pair(ViewMenu::tr("Dark"), Theme::Mode::Dark)}) {
    QAction* action = group->addAction(text);
    action->setCheckable(true);
    action->setChecked(themeMode() == mode);
    QObject::connect(action, &QAction::triggered, menu, [mode = mode] {
      applyTheme(mode, isColourBlindTheme());
      QSettings().setValue(QStringLiteral("window/theme"), static_cast<int>(mode));
    });
  }
  menu->addActions(group->actions());
  menu->addSeparator();
  QAction* blind = menu->addAction(ViewMenu::tr("Colours for the colour-blind"));
  blind->setCheckable(true);
  blind->setChecked(isColourBlindTheme());
  QObject::connect(blind, &QAction::triggered, menu, [](bool on) {
    applyTheme(themeMode(), on);
    QSettings().setValue(QStringLiteral("window/colour-blind"), on);
  });
  return menu;
}

}  // namespace batchscope::desktop
