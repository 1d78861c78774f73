// SPDX-License-Identifier: GPL-3.0-or-later
//
// What stands in the middle while there is no run to show: what this is, and the button that begins.
#pragma once

#include <QWidget>

class QPushButton;

namespace batchscope::desktop {

class EmptyPage : public QWidget {
  Q_OBJECT
 public:
  explicit EmptyPage(QWidget* parent = nullptr);
  QPushButton* demoButton() const { return demo_; }

 Q_SIGNALS:
  void demoRequested();
  void recipeRequested();
  void lessonsRequested();

 private:
  QPushButton* demo_;
};

}  // namespace batchscope::desktop
