// SPDX-License-Identifier: GPL-3.0-or-later
//
// The list of runs at the left: a search field, and the runs in the sections Active and Earlier. Space, or a
// click with Ctrl, checks a run for comparison.
#pragma once

#include <QFrame>
#include <QString>
#include <string>

class QListView;
class QModelIndex;

namespace batchscope::desktop {

class RunFilterModel;
class RunModel;
class RunSearch;

class RunListPanel : public QFrame {
  Q_OBJECT
 public:
  explicit RunListPanel(RunModel* runs, QWidget* parent = nullptr);

  void select(const std::string& id);
  void focusSearch();
  void selectNeighbour(int offset);

 Q_SIGNALS:
  void runSelected(const QString& id);

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  void toggle(const QModelIndex& index);

  RunSearch* search_;
  QListView* list_;
  RunFilterModel* filter_;
  QString selected_;
};

}  // namespace batchscope::desktop
