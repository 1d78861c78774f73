// SPDX-License-Identifier: GPL-3.0-or-later
//
// The pages of the window along its top, as the page in a browser has them: which one is shown, and a press
// that leads to another.
#pragma once

#include <QTabBar>

namespace batchscope::desktop {

enum class Page {
  Run,      // the charts of a run, and what can be done with it
  Runs,     // the table of all runs
  Compare,  // the charts with the lines of several runs, and their values
  Queue,
  Sweep,
  Learn,  // the lessons beside the charts
};

// Returns whether the page shows a run's charts.
bool showsRun(Page page);

class PageBar : public QTabBar {
  Q_OBJECT
 public:
  explicit PageBar(QWidget* parent = nullptr);

  void show(Page page);  // says nothing

 Q_SIGNALS:
  void chosen(batchscope::desktop::Page page);
};

}  // namespace batchscope::desktop
