// SPDX-License-Identifier: GPL-3.0-or-later
#include "window/pages.h"

#include <QListView>
#include <QResizeEvent>

#include "control/control_panel.h"
#include "lessons/lesson_panel.h"
#include "look/box.h"
#include "queue/queue_page.h"
#include "runs/run_list_panel.h"
#include "runs/run_table_page.h"
#include "sweep/sweep_page.h"
#include "window/side_panels.h"

namespace batchscope::desktop {

Pages::Pages(const Parts& parts, QWidget* parent)
    : QStackedWidget(parent),
      parts_(parts),
      left_(new QStackedWidget(this)),
      middle_(new QStackedWidget(this)),
      queue_(scrolled(parts.queue, this)),
      sweeps_(scrolled(parts.sweeps, this)),
      sides_(new SidePanels(left_, middle_, parts.control, this)) {
  middle_->addWidget(parts_.invitation);
  middle_->addWidget(parts_.run);
  middle_->addWidget(parts_.waiting);
  left_->addWidget(parts_.list);
  left_->addWidget(parts_.lessons);
  addWidget(sides_);
  addWidget(parts_.table);
  addWidget(queue_);
  addWidget(sweeps_);
}

void Pages::showRun(bool hasRun) {
  hasRun_ = hasRun;
  showMiddle();
}

void Pages::setWaits(bool waits) {
  waits_ = waits;
  showMiddle();
}

void Pages::setHasControl(bool has) { sides_->setHasRight(has); }

void Pages::showMiddle() {
  middle_->setCurrentWidget(!hasRun_ ? parts_.invitation : waits_ ? parts_.waiting : parts_.run);
}

void Pages::show(Page page) {
  QWidget* const shown = page == Page::Runs    ? parts_.table
                         : page == Page::Queue ? queue_
                         : page == Page::Sweep ? sweeps_
                                               : static_cast<QWidget*>(sides_);
  QWidget* const left = currentWidget();
  // Qt would hand the keyboard to whichever button comes next.
  if (shown != left && left->isAncestorOf(window()->focusWidget())) window()->setFocus();
  setCurrentWidget(shown);
  if (showsRun(page)) showLessons(page == Page::Learn);
}

// A page over them leaves them as they are.
void Pages::showLessons(bool areShown) {
  if (!areShown) parts_.lessons->showList();
  left_->setCurrentWidget(areShown ? static_cast<QWidget*>(parts_.lessons) : parts_.list);
  updateWidths();
  if (areShown) sides_->showLeft();
  if (areShown && parts_.lessons->page() == nullptr) parts_.lessons->list()->setFocus();
}

void Pages::focusSearch() {
  if (currentWidget() == parts_.table) return parts_.table->focusSearch();
  if (currentWidget() == sweeps_) return parts_.sweeps->focusFilter();
  sides_->showLeft();
  parts_.list->focusSearch();
}

void Pages::resizeEvent(QResizeEvent* event) {
  QStackedWidget::resizeEvent(event);
  updateWidths();
}

// The charts need the width more than the names of runs do; a lesson's text is read beside them.
void Pages::updateWidths() {
  const bool isNarrow = width() < 1400, isLesson = left_->currentWidget() == parts_.lessons;
  sides_->setLeftStays(isLesson);
  sides_->setWidths(isLesson ? (isNarrow ? 270 : 320) : (isNarrow ? 200 : 236), 300);
}

}  // namespace batchscope::desktop
