// SPDX-License-Identifier: GPL-3.0-or-later
#include "look/panel_button.h"

#include <QAction>
#include <QPainter>

#include "look/theme.h"

namespace batchscope::desktop {

PanelButton::PanelButton(QAction* action, Qt::Edge edge, QWidget* parent) : QToolButton(parent), edge_(edge) {
  setDefaultAction(action);
  setFocusPolicy(Qt::TabFocus);
  setAccessibleName(tr("Show %1").arg(action->text()));
  setToolTip(
      tr("Show or hide: %1 (%2)").arg(action->text(), action->shortcut().toString(QKeySequence::NativeText)));
}

void PanelButton::paintEvent(QPaintEvent*) {
  const Theme& theme = Theme::current();
  QPainter painter(this);
  painter.setRenderHint(QPainter::Antialiasing);
  const QColor ink = !isEnabled() ? theme.faint : hasFocus() || underMouse() ? theme.accent : theme.dim;
  const QRectF frame = QRectF(QPointF(), QSizeF(15, 12)).translated(width() / 2 - 7.5, height() / 2 - 6);
  painter.setPen(QPen(ink, 1.2));
  painter.drawRoundedRect(frame, 2, 2);
  QRectF side = frame;
  if (edge_ == Qt::LeftEdge) side.setWidth(5);
  if (edge_ == Qt::RightEdge) side.setLeft(frame.right() - 5);
  if (edge_ == Qt::BottomEdge) side.setTop(frame.bottom() - 4);
  painter.setBrush(isChecked() ? ink : QColor(Qt::transparent));
  painter.drawRoundedRect(side, 1, 1);
}

}  // namespace batchscope::desktop
