// SPDX-License-Identifier: GPL-3.0-or-later
#include "runs/run_actions.h"

#include <QAction>
#include <QInputDialog>
#include <QMenu>

#include "runs/run_edits.h"
#include "session/catalogue_watcher.h"

namespace batchscope::desktop {

RunActions::RunActions(RunEdits* edits, CatalogueWatcher* watcher, QWidget* window)
    : QObject(window),
      edits_(edits),
      watcher_(watcher),
      window_(window),
      selected_([] { return QStringList(); }),
      clone_(new QAction(tr("Clone this run …"), this)),
      rename_(new QAction(tr("Rename …"), this)),
      group_(new QAction(tr("Group …"), this)),
      tags_(new QAction(tr("Tags …"), this)),
      note_(new QAction(tr("Note …"), this)),
      delete_(new QAction(tr("Delete"), this)) {
  clone_->setShortcut(Qt::CTRL | Qt::SHIFT | Qt::Key_N);
  delete_->setShortcut(QKeySequence::Delete);
  delete_->setShortcutContext(Qt::WidgetWithChildrenShortcut);
  connect(clone_, &QAction::triggered, this, [this] {
    if (const QStringList ids = selected_(); ids.size() == 1) Q_EMIT cloneRequested(ids.first());
  });
  connect(rename_, &QAction::triggered, this, [this] { askText(QStringLiteral("name")); });
  connect(group_, &QAction::triggered, this, [this] { askText(QStringLiteral("group")); });
  connect(note_, &QAction::triggered, this, [this] { askText(QStringLiteral("note")); });
  connect(tags_, &QAction::triggered, this, &RunActions::askTags);
  connect(delete_, &QAction::triggered, this, [this] { edits_->remove(selected_()); });
  update();
}

void RunActions::fill(QMenu* menu) {
  menu->addActions({rename_, group_, tags_, note_});
  menu->addSeparator();
  menu->addAction(delete_);
}

void RunActions::update() {
  const auto count = selected_().size();
  for (QAction* action : {clone_, rename_, group_, note_}) action->setEnabled(count == 1);
  for (QAction* action : {tags_, delete_}) action->setEnabled(count > 0);
  delete_->setText(count > 1 ? tr("Delete %1 runs").arg(count) : tr("Delete"));
}

QString RunActions::subject() const {
  const QStringList ids = selected_();
  const storage::Run* const run = ids.size() == 1 ? watcher_->find(ids.first().toStdString()) : nullptr;
  return run != nullptr    ? QString::fromStdString(run->name)
         : ids.size() == 1 ? ids.first()
                           : tr("%1 runs").arg(ids.size());
}

void RunActions::askText(const QString& field) {
  const QStringList ids = selected_();
  const storage::Run* const run = ids.size() == 1 ? watcher_->find(ids.first().toStdString()) : nullptr;
  if (run == nullptr) return;
  bool isGiven = false;
  const auto ask = [&](const QString& title, const QString& question, const std::string& before) {
    return QInputDialog::getText(window_, title, question, QLineEdit::Normal, QString::fromStdString(before),
                                 &isGiven);
  };
  QString text;
  if (field == QLatin1String("name"))
    text = ask(tr("Rename %1").arg(subject()), tr("Name:"), run->name);
  else if (field == QLatin1String("group"))
    text = ask(tr("Group of %1").arg(subject()), tr("Group; empty for none:"), run->spec.group);
  else
    text = QInputDialog::getMultiLineText(window_, tr("Note on %1").arg(subject()), tr("Note:"),
                                          QString::fromStdString(run->note), &isGiven);
  if (isGiven) edits_->set(ids.first(), field, text);
}

void RunActions::askTags() {
  const QStringList ids = selected_();
  if (ids.isEmpty()) return;
  bool isGiven = false;
  const QString text = QInputDialog::getText(window_, tr("Tags of %1").arg(subject()),
                                             tr("Tags to add; a tag after \"-\" is removed:"),
                                             QLineEdit::Normal, {}, &isGiven);
  if (isGiven) edits_->tag(ids, text);
}

}  // namespace batchscope::desktop
