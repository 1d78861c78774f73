// SPDX-License-Identifier: GPL-3.0-or-later
#include "look/plain_text.h"

#include <QApplication>
#include <QEvent>
#include <QLabel>

namespace batchscope::desktop {
namespace {

// Qt polishes every label before it is first shown, also those of its own tool tips and message boxes.
class PlainText : public QObject {
 public:
  using QObject::QObject;

  bool eventFilter(QObject* watched, QEvent* event) override {
    if (event->type() == QEvent::Polish) {
      auto* label = qobject_cast<QLabel*>(watched);
      if (label != nullptr && label->textFormat() == Qt::AutoText) label->setTextFormat(Qt::PlainText);
    }
    return false;
  }
};

}  // namespace

void showTextsAsTheyAre() {
  static const QString kName = QStringLiteral("plainText");
  if (qApp->findChild<QObject*>(kName, Qt::FindDirectChildrenOnly) != nullptr) return;
  auto* filter = new PlainText(qApp);
  filter->setObjectName(kName);
  qApp->installEventFilter(filter);
}

}  // namespace batchscope::desktop
