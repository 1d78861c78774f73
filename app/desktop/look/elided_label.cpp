// SPDX-License-Identifier: GPL-3.0-or-later
#include "look/elided_label.h"

#include <QPainter>
#include <QStyleOption>

namespace batchscope::desktop {

void ElidedLabel::paintEvent(QPaintEvent*) {
  QStyleOption option;
  option.initFrom(this);
  QPainter painter(this);
  const QString line = fontMetrics().elidedText(text(), Qt::ElideRight, contentsRect().width());
  style()->drawItemText(&painter, contentsRect(), static_cast<int>(Qt::AlignLeft | Qt::AlignVCenter),
                        option.palette, isEnabled(), line, foregroundRole());
}

UnitLabel::UnitLabel(const QString& text, QWidget* parent) : QLabel(text, parent), unit_(text) {
  setObjectName(QStringLiteral("chartUnit"));
  setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
  setToolTip(text);
}

void UnitLabel::setNote(const QString& note) {
  const QString shown = unit_.isEmpty() || note.isEmpty() ? note : QStringLiteral(" · ") + note;
  if (shown == note_) return;
  note_ = shown;
  setToolTip(unit_ + note_);
  update();
}

void UnitLabel::paintEvent(QPaintEvent*) {
  QStyleOption option;
  option.initFrom(this);
  QPainter painter(this);
  for (const QString& text : {unit_ + note_, unit_}) {
    if (fontMetrics().horizontalAdvance(text) > contentsRect().width()) continue;
    style()->drawItemText(&painter, contentsRect(), static_cast<int>(Qt::AlignLeft | Qt::AlignVCenter),
                          option.palette, isEnabled(), text, foregroundRole());
    return;
  }
}

}  // namespace batchscope::desktop
