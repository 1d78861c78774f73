// SPDX-License-Identifier: GPL-3.0-or-later
//
// The deleted runs: each can be restored, or deleted for good after a question.
#pragma once

#include <QDialog>
#include <QStringList>

class QLabel;
class QPushButton;
class QTreeWidget;

namespace batchscope::desktop {

class CatalogueWatcher;
class RunEdits;

class TrashDialog : public QDialog {
  Q_OBJECT
 public:
  TrashDialog(CatalogueWatcher* watcher, RunEdits* edits, QWidget* parent = nullptr);

 private:
  void fill();
  void update();
  QStringList selectedIds() const;
  // After asking; all of them where `ids` is empty.
  void purge(QStringList ids);

  CatalogueWatcher* watcher_;
  RunEdits* edits_;
  QTreeWidget* runs_;
  QLabel* about_;
  QPushButton *restore_, *delete_, *empty_;
};

}  // namespace batchscope::desktop
