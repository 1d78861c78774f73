// SPDX-License-Identifier: GPL-3.0-or-later
#include "look/quiet_wheel.h"

#include <QEvent>
#include <QWidget>

namespace batchscope::desktop {
namespace {

class WheelFilter : public QObject {
 public:
  using QObject::QObject;

 protected:
  bool eventFilter(QObject*, QEvent* event) override {
    if (event->type() != QEvent::Wheel) return false;
    event->ignore();
    return true;
  }
};

}  // namespace

void ignoreWheel(QWidget* field) { field->installEventFilter(new WheelFilter(field)); }

}  // namespace batchscope::desktop
