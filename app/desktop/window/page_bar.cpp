// SPDX-License-Identifier: GPL-3.0-or-later
#include "window/page_bar.h"

#include <QSignalBlocker>

namespace batchscope::desktop {

bool showsRun(Page page) { return page == Page::Run || page == Page::Compare || page == Page::Learn; }

PageBar::PageBar(QWidget* parent) : QTabBar(parent) {
  setObjectName(QStringLiteral("pageBar"));
  setAccessibleName(tr("Pages"));
  setExpanding(false);
  setElideMode(Qt::ElideNone);
  // The titles in the order of Page.
  for (const auto& [title, hint] : {std::pair(tr("Run"), tr("The charts of a run")),
                                    {tr("Runs"), tr("The table of all runs (T)")},
                                    {tr("Compare"), tr("The checked runs on the same charts")},
                                    {tr("Queue"), tr("Which runs have which devices, and which wait (Q)")},
                                    {tr("Sweep"), tr("Searches over hyperparameters (S)")},
                                    {tr("Learn"), tr("The lessons (Ctrl+L)")}})
    setTabToolTip(addTab(title), hint);
  connect(this, &QTabBar::currentChanged, this, [this](int tab) { Q_EMIT chosen(static_cast<Page>(tab)); });
}

void PageBar::show(Page page) {
  const QSignalBlocker quiet(this);
  setCurrentIndex(static_cast<int>(page));
}

}  // namespace batchscope::desktop
