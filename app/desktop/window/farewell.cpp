// SPDX-License-Identifier: GPL-3.0-or-later
#include "window/farewell.h"

#include <QTimer>

namespace batchscope::desktop {

Farewell::Farewell(const QString& text)
    : QLabel(text, nullptr, Qt::Tool | Qt::FramelessWindowHint | Qt::WindowStaysOnTopHint) {
  setAttribute(Qt::WA_DeleteOnClose);
  // A tool window does not count for quitting by default; this one is to be read first.
  setAttribute(Qt::WA_QuitOnClose);
  setAttribute(Qt::WA_ShowWithoutActivating);
  setObjectName(QStringLiteral("farewell"));
  QTimer::singleShot(4000, this, &QWidget::close);
}

void Farewell::mousePressEvent(QMouseEvent*) { close(); }

}  // namespace batchscope::desktop
