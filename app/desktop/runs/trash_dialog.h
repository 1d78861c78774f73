// SPDX-License-Identifier: GPL-3.0-or-later
//
// The runs that were deleted: each can be had back, or deleted for good, which asks first.
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
