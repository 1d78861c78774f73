// SPDX-License-Identifier: GPL-3.0-or-later
//
// The menu of a comparison: the table of runs, the bands of groups and their range, the docks with values and
// differences, and the end of the comparison.
#pragma once

#include <QMenu>

#include "scene/group_bands.h"

namespace batchscope::desktop {

class Comparison;

class CompareMenu : public QMenu {
  Q_OBJECT
 public:
  // `table`: shows the table of runs.
  CompareMenu(Comparison* comparison, QAction* table, QWidget* parent = nullptr);

  GroupBands bands() const;
  QAction* groupsAction() const { return groups_; }
  QAction* clearAction() const { return clear_; }
  QAction* valuesAction() const { return values_; }
  QAction* differencesAction() const { return differences_; }

 Q_SIGNALS:
  void bandsChanged();
  void valuesRequested();
  void differencesRequested();

 private:
  QAction* groups_;
  QAction* quartiles_;
  QAction* clear_;
  QAction *values_, *differences_;
};

}  // namespace batchscope::desktop
