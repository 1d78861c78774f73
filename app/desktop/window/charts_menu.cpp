// SPDX-License-Identifier: GPL-3.0-or-later
#include "window/charts_menu.h"

#include <algorithm>
#include <utility>

#include "chart/dashboard.h"

namespace batchscope::desktop {

ChartsMenu::ChartsMenu(Dashboard* dashboard, QWidget* parent)
    : QMenu(tr("Charts"), parent), dashboard_(dashboard), choice_(addMenu(tr("Show or hide"))) {
  addSeparator();
  addFor(tr("Enlarge, or show all again"), Qt::Key_E, [this](ChartCard* card) {
    dashboard_->enlarge(dashboard_->enlarged() == nullptr ? card : nullptr);
  });
  addFor(tr("Present on the whole screen"), Qt::Key_F11, [this](ChartCard* card) {
    const auto& cards = dashboard_->cards();
    Q_EMIT presentationRequested(
        static_cast<int>(std::find(cards.begin(), cards.end(), card) - cards.begin()));
  });
  addFor(tr("Move earlier"), Qt::CTRL | Qt::SHIFT | Qt::Key_Left,
         [this](ChartCard* card) { dashboard_->moveCard(card, -1); });
  addFor(tr("Move later"), Qt::CTRL | Qt::SHIFT | Qt::Key_Right,
         [this](ChartCard* card) { dashboard_->moveCard(card, 1); });
  addFor(tr("Hide"), Qt::CTRL | Qt::SHIFT | Qt::Key_H,
         [this](ChartCard* card) { dashboard_->setShown(card->plot()->spec().name, false); });
  addSeparator();
  addStep(tr("Next chart"), Qt::Key_BracketRight, 1);
  addStep(tr("Previous chart"), Qt::Key_BracketLeft, -1);
  addSeparator();
  addAction(tr("Restore the default charts"), dashboard_, &Dashboard::restoreDefaultLayout);
  connect(choice_, &QMenu::aboutToShow, this, &ChartsMenu::fillChoice);
  connect(dashboard_, &Dashboard::choiceRequested, choice_, [this](const QPoint& at) { choice_->popup(at); });
  connect(dashboard_, &Dashboard::menuRequested, this, &ChartsMenu::fillCardMenu);
}

void ChartsMenu::addFor(const QString& text, const QKeySequence& keys, std::function<void(ChartCard*)> act) {
  actionsOfOne_ << addAction(text, keys, this, [this, act = std::move(act)] {
    if (!dashboard_->isVisible()) return;  // on another page nobody would see it
    if (ChartCard* card = meant_ ? meant_.data() : dashboard_->current()) act(card);
  });
}

void ChartsMenu::addStep(const QString& text, const QKeySequence& keys, int by) {
  addAction(text, keys, this, [this, by] {
    if (dashboard_->isVisible()) dashboard_->focusNeighbour(by);
  });
}

void ChartsMenu::fillChoice() {
  choice_->clear();
  for (const common::ChartSpec& chart : dashboard_->layout().charts()) {
    QAction* action = choice_->addAction(chart.title);
    action->setCheckable(true);
    action->setChecked(dashboard_->layout().isShown(chart.name));
    connect(action, &QAction::toggled, dashboard_,
            [this, name = chart.name](bool isShown) { dashboard_->setShown(name, isShown); });
  }
}

void ChartsMenu::fillCardMenu(QMenu* menu, ChartCard* card) {
  meant_ = card;
  connect(menu, &QObject::destroyed, this, [this, card] {
    if (meant_ == card) meant_.clear();
  });
  menu->addActions(actionsOfOne_);
  menu->addSeparator();
  menu->addMenu(choice_);
}

}  // namespace batchscope::desktop
