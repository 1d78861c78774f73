// SPDX-License-Identifier: GPL-3.0-or-later
//
// The arrangement of pages: the list of runs or the lessons at the left, the run or an invitation in the
// middle, and the control at the right; or in place of all of these the table of runs, the queue, or a sweep.
#pragma once

#include <QStackedWidget>

#include "window/page_bar.h"

namespace batchscope::desktop {

class ControlPanel;
class LessonPanel;
class QueuePage;
class RunListPanel;
class RunTablePage;
class SidePanels;
class SweepPage;

class Pages : public QStackedWidget {
  Q_OBJECT
 public:
  struct Parts {
    RunListPanel* list;
    LessonPanel* lessons;
    QWidget* invitation;
    QWidget* run;
    ControlPanel* control;
    RunTablePage* table;
    QWidget* waiting;
    QueuePage* queue;
    SweepPage* sweeps;
  };
  explicit Pages(const Parts& parts, QWidget* parent = nullptr);

  void showRun(bool hasRun);  // or the invitation
  // The run waits for its first devices: there is nothing to draw yet. `has`: it can be controlled.
  void setWaits(bool waits);
  void setHasControl(bool has);
  void show(Page page);
  // Puts the focus into the search of the list, the table or the sweep, whichever is shown.
  void focusSearch();
  SidePanels* sides() const { return sides_; }

 protected:
  void resizeEvent(QResizeEvent* event) override;

 private:
  void showLessons(bool areShown);
  void showMiddle();
  void updateWidths();

  Parts parts_;
  QStackedWidget *left_, *middle_;
  QWidget *queue_, *sweeps_;
  SidePanels* sides_;
  bool hasRun_ = false, waits_ = false;
};

}  // namespace batchscope::desktop
