// SPDX-License-Identifier: GPL-3.0-or-later
#include "compare/compare_menu.h"

#include <QActionGroup>

#include "session/comparison.h"

namespace batchscope::desktop {

CompareMenu::CompareMenu(Comparison* comparison, QAction* table, QWidget* parent)
    : QMenu(tr("&Compare"), parent),
      groups_(new QAction(tr("Groups as bands"), this)),
      quartiles_(new QAction(tr("Lower to upper quartile"), this)),
      clear_(new QAction(tr("Stop comparing"), this)) {
  addAction(table);
  addSeparator();
  groups_->setIconText(tr("Groups"));
  groups_->setCheckable(true);
  groups_->setShortcut(QKeySequence(Qt::Key_B));
  groups_->setToolTip(tr("The runs of one group as their median, with a band around it (B)"));
  addAction(groups_);
  auto* spans = new QActionGroup(this);
  auto* extremes = new QAction(tr("Lowest to highest"), this);
  for (QAction* span : {extremes, quartiles_}) {
    span->setCheckable(true);
    spans->addAction(span);
  }
  extremes->setChecked(true);
  QMenu* band = addMenu(tr("Band from"));
  band->addActions(spans->actions());
  addSeparator();
  values_ = addAction(tr("Values"), QKeySequence(Qt::Key_V), this, &CompareMenu::valuesRequested);
  differences_ = addAction(tr("Differences"), QKeySequence(Qt::SHIFT | Qt::Key_D), this,
                           &CompareMenu::differencesRequested);
  addSeparator();
  clear_->setIconText(tr("Clear"));
  clear_->setShortcut(QKeySequence(Qt::SHIFT | Qt::Key_C));
  clear_->setToolTip(tr("Show the open run alone (Shift+C)"));
  addAction(clear_);

  connect(groups_, &QAction::toggled, this, &CompareMenu::bandsChanged);
  connect(quartiles_, &QAction::toggled, this, &CompareMenu::bandsChanged);
  connect(clear_, &QAction::triggered, comparison, &Comparison::clear);
  const auto enable = [this, comparison] {
    clear_->setEnabled(comparison->chosenCount() > 0);
    groups_->setEnabled(comparison->isActive());  // its key does nothing where the effect would not be seen
  };
  connect(comparison, &Comparison::changed, this, enable);
  enable();
}

GroupBands CompareMenu::bands() const {
  if (!groups_->isChecked()) return GroupBands::None;
  return quartiles_->isChecked() ? GroupBands::Quartiles : GroupBands::Extremes;
}

}  // namespace batchscope::desktop
