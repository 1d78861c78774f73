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

namespace batchscope::desktop {

Pages::Pages(const Parts& parts, QWidget* parent)
    : QStackedWidget(parent), parts_(parts), middle_(new QStackedWidget(this)) {
  middle_->addWidget(parts_.invitation);
  middle_->addWidget(parts_.run);
  middle_->addWidget(parts_.waiting);
  auto* beside = new QWidget(this);
  hbox(beside, {}, 0, {parts_.list, parts_.lessons, {middle_, 1}, parts_.control});
  addWidget(beside);
  addWidget(parts_.table);
  addWidget(parts_.queue);
  parts_.lessons->hide();
  parts_.control->hide();
}

void Pages::showRun(bool hasRun) {
  hasRun_ = hasRun;
  showMiddle();
}

void Pages::setWaits(bool waits) {
  if (waits) parts_.control->hide();
  if (waits_ && !waits && hasRun_) parts_.control->show();
  waits_ = waits;
  showMiddle();
}

void Pages::showMiddle() {
  middle_->setCurrentWidget(!hasRun_ ? parts_.invitation : waits_ ? parts_.waiting : parts_.run);
}

void Pages::showPage(QWidget* page, bool isShown) {
  if (isShown)
    setCurrentWidget(page);
  else if (currentWidget() == page)
    setCurrentIndex(0);
}

void Pages::showTable(bool isShown) { showPage(parts_.table, isShown); }

void Pages::showQueue(bool isShown) { showPage(parts_.queue, isShown); }

void Pages::showLessons(bool isShown) {
  if (!isShown) parts_.lessons->showList();
  // One goes before the other comes, or the window would grow to hold both.
  (isShown ? static_cast<QWidget*>(parts_.list) : parts_.lessons)->hide();
  (isShown ? static_cast<QWidget*>(parts_.lessons) : parts_.list)->show();
  if (isShown && parts_.lessons->page() == nullptr) parts_.lessons->list()->setFocus();
}

void Pages::focusSearch() {
  if (currentWidget() == parts_.table)
    parts_.table->focusSearch();
  else
    parts_.list->focusSearch();
}

void Pages::resizeEvent(QResizeEvent* event) {
  QStackedWidget::resizeEvent(event);
  // The charts need the width more than the names of runs do.
  const bool isNarrow = event->size().width() < 1400;
  parts_.list->setFixedWidth(isNarrow ? 200 : 236);
  parts_.lessons->setFixedWidth(isNarrow ? 270 : 320);
}

}  // namespace batchscope::desktop
