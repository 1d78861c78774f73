// SPDX-License-Identifier: GPL-3.0-or-later
//
// All runs as a table in place of the charts: searched, sorted by any field, checked for comparison; names,
// groups, tags and notes are written where they stand (F2). The trials of a sweep are one row until it is
// unfolded.
#pragma once

#include <QStringList>
#include <QWidget>
#include <string>
#include <vector>

class QLabel;
class QMenu;
class QPushButton;
class QSettings;
class QToolButton;

namespace batchscope::desktop {

class Comparison;
class PlainTable;
class RunActions;
class RunFilterModel;
class RunModel;
class RunSearch;

class RunTablePage : public QWidget {
  Q_OBJECT
 public:
  RunTablePage(RunModel* runs, Comparison* comparison, RunActions* actions, QWidget* parent = nullptr);

  void focusSearch();
  // Makes the run the current one, where it is in the table.
  void select(const std::string& id);
  QStringList selectedIds() const;
  // Columns and order, for the next time.
  void save(QSettings& settings) const;
  void restore(const QSettings& settings);

 Q_SIGNALS:
  void runOpened(const QString& id);
  void sweepOpened(const QString& name);

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;
  void showEvent(QShowEvent* event) override;

 private:
  QWidget* buildHead();
  void buildTable();
  void setFields(const std::vector<std::string>& fields);
  void sortBy(const std::string& field, Qt::SortOrder order);
  std::string sortField() const;
  void fillColumnMenu();
  void showContextMenu(const QPoint& place);
  void toggleSelected();
  bool pressKey(int key);
  void openCurrent();
  void compare();
  void updateCounts();

  RunModel* runs_;
  Comparison* comparison_;
  RunActions* actions_;
  RunFilterModel* filter_;
  RunSearch* search_;
  PlainTable* table_;
  QLabel* count_;
  QPushButton* compare_;
  QToolButton* columns_;
  QMenu* columnMenu_;
};

}  // namespace batchscope::desktop
