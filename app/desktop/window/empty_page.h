// SPDX-License-Identifier: GPL-3.0-or-later
//
// The page in the middle while there is no run to show: a word on the demo, and buttons for the demo, a new
// run and the lessons.
#pragma once

#include <QWidget>

namespace batchscope::desktop {

class EmptyPage : public QWidget {
  Q_OBJECT
 public:
  explicit EmptyPage(QWidget* parent = nullptr);

 Q_SIGNALS:
  void demoRequested();
  void recipeRequested();
  void lessonsRequested();
};

}  // namespace batchscope::desktop
