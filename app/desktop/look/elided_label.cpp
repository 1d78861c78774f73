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

UnitLabel::UnitLabel(const QString& text, QWidget* parent) : QLabel(text, parent) {
  setObjectName(QStringLiteral("chartUnit"));
  setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
  setToolTip(text);
}

void UnitLabel::paintEvent(QPaintEvent* event) {
  if (width() >= sizeHint().width()) QLabel::paintEvent(event);
}

}  // namespace batchscope::desktop
