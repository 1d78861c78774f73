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

}  // namespace batchscope::desktop
