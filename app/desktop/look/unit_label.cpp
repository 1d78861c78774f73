// SPDX-License-Identifier: GPL-3.0-or-later
#include "look/unit_label.h"

namespace batchscope::desktop {

UnitLabel::UnitLabel(const QString& text, QWidget* parent) : QLabel(text, parent) {
  setObjectName(QStringLiteral("chartUnit"));
  setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
  setToolTip(text);
}

void UnitLabel::paintEvent(QPaintEvent* event) {
  if (width() >= sizeHint().width()) QLabel::paintEvent(event);
}

}  // namespace batchscope::desktop
