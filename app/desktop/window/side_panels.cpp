// SPDX-License-Identifier: GPL-3.0-or-later
#include "window/side_panels.h"

#include <QAction>
#include <QApplication>
#include <QKeyEvent>
#include <QSettings>
#include <algorithm>

#include "look/box.h"

namespace batchscope::desktop {
namespace {

constexpr int kMiddle = 718;  // two columns of charts that can be read
constexpr QLatin1String kLeft("window/left"), kRight("window/right");

QAction* toggleOf(const QString& text, QKeyCombination key, QWidget* parent) {
  auto* action = new QAction(text, parent);
  action->setShortcut(QKeySequence(key));
  action->setCheckable(true);
  action->setChecked(true);
  return action;
}

void focusFirst(const QWidget* panel) {
  for (QWidget* each : panel->findChildren<QWidget*>()) {
    if (!each->isVisible() || !each->isEnabled() || (each->focusPolicy() & Qt::TabFocus) == 0) continue;
    return each->setFocus(Qt::TabFocusReason);
  }
}

}  // namespace

SidePanels::SidePanels(QWidget* left, QWidget* middle, QWidget* right, QWidget* parent)
    : QWidget(parent),
      middle_(middle),
      left_{left, toggleOf(tr("Runs"), Qt::CTRL | Qt::Key_B, this)},
      right_{right, toggleOf(tr("Control"), Qt::CTRL | Qt::Key_R, this)},
      row_(hbox(this, {}, 0, {left, {middle, 1}, right})) {
  for (Side* side : {&left_, &right_})
    connect(side->action, &QAction::triggered, this, [this, side](bool on) { toggle(*side, on); });
  setHasRight(false);
}

void SidePanels::setWidths(int left, int right) {
  const auto set = [](QWidget* panel, int width) {
    panel->setFixedWidth(std::max(width, panel->minimumSizeHint().width()));
  };
  set(left_.panel, left);
  set(right_.panel, right);
  arrange();
}

void SidePanels::setLeftStays(bool stays) {
  leftStays_ = stays;
  arrange();
}

void SidePanels::setHasRight(bool has) {
  right_.isAvailable = has;
  show(right_);
}

void SidePanels::showLeft() {
  if (!left_.panel->isVisibleTo(this)) toggle(left_, true);
}

// The right one goes first for lessons, whose text is read beside the charts; else the left one.
void SidePanels::arrange() {
  const int left = left_.panel->minimumWidth(), right = right_.panel->minimumWidth();
  const auto put = [this](Side& side, bool isOver) {
    if (side.isOver != isOver) {
      side.isOver = isOver;
      side.isRaised = false;
      if (isOver)
        row_->removeWidget(side.panel);
      else
        row_->insertWidget(&side == &left_ ? 0 : -1, side.panel);
    }
    if (isOver) {
      const int width = side.panel->minimumWidth();
      side.panel->setGeometry(&side == &left_ ? 0 : this->width() - width, 0, width, height());
    }
    show(side);
  };
  put(left_, !leftStays_ && width() < left + kMiddle + right);
  put(right_, width() < (leftStays_ ? left : 0) + kMiddle + right);
  row_->activate();  // the layout has had this resize already
}

void SidePanels::show(Side& side) {
  const bool isShown = side.isAvailable && (side.isOver ? side.isRaised : side.isWanted);
  side.panel->setVisible(isShown);
  if (isShown && side.isOver) side.panel->raise();
  side.action->setChecked(isShown);
  side.action->setEnabled(side.isAvailable);
  // Presses and keys are looked at only while a panel lies over the middle.
  const auto liesOver = [](const Side& each) { return each.isAvailable && each.isOver && each.isRaised; };
  qApp->removeEventFilter(this);
  if (liesOver(left_) || liesOver(right_)) qApp->installEventFilter(this);
}

void SidePanels::toggle(Side& side, bool on) {
  if (side.isOver) {
    if (on) lower();
    side.isRaised = on;
  } else {
    side.isWanted = on;
  }
  const bool hadFocus = side.panel->isAncestorOf(window()->focusWidget());
  show(side);
  if (on && side.isOver) focusFirst(side.panel);
  if (!on && hadFocus) window()->setFocus();
}

void SidePanels::lower() {
  for (Side* side : {&left_, &right_})
    if (side->isOver && side->isRaised) toggle(*side, false);
}

bool SidePanels::eventFilter(QObject* watched, QEvent* event) {
  auto* widget = qobject_cast<QWidget*>(watched);
  if (widget == nullptr || widget->window() != window()) return false;
  if (event->type() == QEvent::MouseButtonPress && middle_->isAncestorOf(widget)) lower();
  if (event->type() == QEvent::ShortcutOverride && static_cast<QKeyEvent*>(event)->key() == Qt::Key_Escape) {
    lower();
    event->accept();  // it is not a shortcut now
    return true;
  }
  return false;
}

void SidePanels::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  arrange();
}

// The panels give way.
QSize SidePanels::minimumSizeHint() const {
  return {middle_->minimumSizeHint().width(), QWidget::minimumSizeHint().height()};
}

void SidePanels::save(QSettings& settings) const {
  settings.setValue(kLeft, left_.isWanted);
  settings.setValue(kRight, right_.isWanted);
}

void SidePanels::restore(const QSettings& settings) {
  left_.isWanted = settings.value(kLeft, true).toBool();
  right_.isWanted = settings.value(kRight, true).toBool();
  arrange();
}

}  // namespace batchscope::desktop
