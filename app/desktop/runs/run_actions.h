// SPDX-License-Identifier: GPL-3.0-or-later
//
// The actions on runs, the same from the list, the table and the menus: clone, rename, group, tag, note,
// delete. Each applies to the runs that are selected there.
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

  // Sets the function that gives the ids of the selected runs.
  void setSelection(std::function<QStringList()> selected) { selected_ = std::move(selected); }

  QAction* cloneAction() const { return clone_; }
  // Returns the action that deletes; its key is for the widgets alone to which it is added.
  QAction* deleteAction() const { return delete_; }
  // Fills a menu with all actions but cloning.
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
