// SPDX-License-Identifier: GPL-3.0-or-later
//
// Short notices in the lower right corner of a window: that something was done, or why it was not, maybe with
// a button such as Undo. They take no focus, hold nothing up, and go by themselves, though not from under the
// mouse or the keyboard's focus. A screen reader reads them out.
#pragma once

#include <QFrame>
#include <functional>
#include <vector>

class QVBoxLayout;

namespace batchscope::desktop {

class Toast;

class Toasts : public QWidget {
  Q_OBJECT
 public:
  explicit Toasts(QWidget* window);

  // Says a message in place of the one before; an empty one takes that away.
  void say(const QString& message);
  // Offers an action until the notice goes, beside what is said: such as "Deleted digits-3.", "&Undo".
  void offer(const QString& message, const QString& action, std::function<void()> act);

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  Toast* add(const QString& message);
  void giveKeys();
  void place();

  QVBoxLayout* column_;
  std::vector<Toast*> offers_;  // oldest first
  Toast* said_ = nullptr;
};

}  // namespace batchscope::desktop
