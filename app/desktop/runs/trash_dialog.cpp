// SPDX-License-Identifier: GPL-3.0-or-later
#include "runs/trash_dialog.h"

#include <QHeaderView>
#include <QMessageBox>
#include <QPushButton>
#include <QTreeWidget>

#include "batchscope/common/number_text.h"
#include "batchscope/protocol/error.h"
#include "batchscope/storage/trash.h"
#include "look/box.h"
#include "look/fit.h"
#include "runs/run_edits.h"
#include "session/catalogue_watcher.h"

namespace batchscope::desktop {

TrashDialog::TrashDialog(CatalogueWatcher* watcher, RunEdits* edits, QWidget* parent)
    : QDialog(parent),
      watcher_(watcher),
      edits_(edits),
      runs_(new QTreeWidget(this)),
      about_(named("hint", this)),
      restore_(new QPushButton(tr("Restore"), this)),
      delete_(new QPushButton(tr("Delete for good …"), this)),
      empty_(new QPushButton(tr("Empty the trash …"), this)) {
  setWindowTitle(tr("Trash"));
  runs_->setAccessibleName(tr("Deleted runs"));
  runs_->setHeaderLabels({tr("Name"), tr("State"), tr("Deleted"), tr("Id")});
  runs_->setRootIsDecorated(false);
  runs_->setSelectionMode(QAbstractItemView::ExtendedSelection);
  runs_->header()->setSectionResizeMode(QHeaderView::ResizeToContents);
  runs_->header()->setSectionResizeMode(0, QHeaderView::Stretch);
  runs_->header()->setStretchLastSection(false);
  about_->setWordWrap(true);
  auto* close = new QPushButton(tr("Close"), this);
  restore_->setObjectName(QStringLiteral("primary"));
  restore_->setProperty("isSmall", true);
  for (QPushButton* button : {delete_, empty_, close}) button->setAutoDefault(false);
  vbox(this, {16, 16, 16, 14}, 10,
       {{runs_, 1}, about_, hbox(nullptr, {}, 8, {empty_, rest(), delete_, restore_, close})});
  fit(this, {620, 400});

  connect(close, &QPushButton::clicked, this, &QDialog::accept);
  connect(restore_, &QPushButton::clicked, this, [this] { edits_->restore(selectedIds()); });
  connect(delete_, &QPushButton::clicked, this, [this] { purge(selectedIds()); });
  connect(empty_, &QPushButton::clicked, this, [this] { purge({}); });
  connect(runs_, &QTreeWidget::itemSelectionChanged, this, &TrashDialog::update);
  connect(watcher_, &CatalogueWatcher::changed, this, &TrashDialog::fill);
  fill();
}

void TrashDialog::fill() {
  const QStringList selected = selectedIds();
  runs_->clear();
  for (const storage::Run& run : watcher_->look([](storage::Catalogue& all) { return all.trash(); })) {
    const QString id = QString::fromStdString(run.id);
    auto* item = new QTreeWidgetItem(
        runs_, {QString::fromStdString(run.name), QString::fromUtf8(run_state_name(run.state)),
                common::formatTimeOfDay(run.removed), id});
    item->setSelected(selected.contains(id));
  }
  update();
}

void TrashDialog::update() {
  const bool isEmpty = runs_->topLevelItemCount() == 0, isChosen = !runs_->selectedItems().isEmpty();
  about_->setText(
      isEmpty ? tr("The trash is empty.")
              : tr("Runs stay here whole until they are restored or deleted for good. `batchscope gc` "
                   "deletes those that have been here for %1 days.")
                    .arg(storage::kTrashDays));
  restore_->setEnabled(isChosen);
  delete_->setEnabled(isChosen);
  empty_->setEnabled(!isEmpty);
}

QStringList TrashDialog::selectedIds() const {
  QStringList ids;
  for (const QTreeWidgetItem* item : runs_->selectedItems()) ids << item->text(3);
  return ids;
}

void TrashDialog::purge(QStringList ids) {
  if (ids.isEmpty())
    for (int row = 0; row < runs_->topLevelItemCount(); ++row) ids << runs_->topLevelItem(row)->text(3);
  QMessageBox box(
      QMessageBox::Question, tr("Delete for good"),
      ids.size() == 1 ? tr("Delete this run for good?") : tr("Delete %1 runs for good?").arg(ids.size()),
      QMessageBox::Cancel, this);
  box.setInformativeText(tr("Series, logs and checkpoints are deleted, too. This cannot be undone."));
  QPushButton* const sure = box.addButton(tr("Delete for good"), QMessageBox::DestructiveRole);
  box.setDefaultButton(QMessageBox::Cancel);
  box.exec();
  if (box.clickedButton() != sure) return;
  for (const QString& id : ids) {
    try {
      storage::purge_removed(watcher_->catalogue(), id.toStdString());
    } catch (const Error& error) {
      Q_EMIT edits_->failed(QString::fromUtf8(error.what()));
    }
  }
  watcher_->reload();
}

}  // namespace batchscope::desktop
