// SPDX-License-Identifier: GPL-3.0-or-later
//
// What may be done with runs, the same from the list, the table and the menus: clone, rename, group, tag,
// note, delete. Each concerns the runs that are selected where one is.
#pragma once

#include <QObject>
#include <QStringList>
#include <functional>

class QAction;
class QMenu;

namespace batchscope::desktop {

class CatalogueWatcher;
class RunEdits;

class RunActions : public QObject {
  Q_OBJECT
 public:
  RunActions(RunEdits* edits, CatalogueWatcher* watcher, QWidget* window);

  // Who knows which runs are selected: their ids.
  void setSelection(std::function<QStringList()> selected) { selected_ = std::move(selected); }

  QAction* cloneAction() const { return clone_; }
  // Its key is for the widgets alone to which it is added.
  QAction* deleteAction() const { return delete_; }
  // With all but to clone.
  void fill(QMenu* menu);
  // Others are selected.
  void update();

 Q_SIGNALS:
  void cloneRequested(const QString& id);

 private:
  void askText(const QString& field);
  void askTags();
  QString subject() const;  // of a question: "digits", "3 runs"

  RunEdits* edits_;
  CatalogueWatcher* watcher_;
  QWidget* window_;
  std::function<QStringList()> selected_;
  QAction *clone_, *rename_, *group_, *tags_, *note_, *delete_;
};

}  // namespace batchscope::desktop
