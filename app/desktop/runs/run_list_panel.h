// SPDX-License-Identifier: GPL-3.0-or-later
//
// The list of runs at the left: a search field, and the runs in the sections Active, Waiting and Earlier.
// Space, or a click with Ctrl, checks a run for comparison; with Shift several are selected, for the menu of
// a right click. The trials of a sweep are one row: a click, Space, or Right and Left unfold and fold it.
#pragma once

#include <QFrame>
#include <QStringList>
#include <string>

class QListView;
class QModelIndex;

namespace batchscope::desktop {

class RunActions;
class RunFilterModel;
class RunModel;
class RunSearch;

class RunListPanel : public QFrame {
  Q_OBJECT
 public:
  RunListPanel(RunModel* runs, RunActions* actions, QWidget* parent = nullptr);

  void select(const std::string& id);
  // The one that is current, and all that are selected with it: their ids.
  QString current() const { return selected_; }
  QStringList selectedIds() const;
  void focusSearch();
  void selectNeighbour(int offset);

 Q_SIGNALS:
  void runSelected(const QString& id);
  void sweepOpened(const QString& name);

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  void toggle(const QModelIndex& index);
  bool pressKey(int key);
  void showContextMenu(const QPoint& place);

  RunActions* actions_;
  RunSearch* search_;
  QListView* list_;
  RunFilterModel* filter_;
  QString selected_;
};

}  // namespace batchscope::desktop
