// SPDX-License-Identifier: GPL-3.0-or-later
//
// The edits of runs by a person, and deleting them: each is written to the store at once and can be undone
// and done again, in one order, wherever it was asked for.
#pragma once

#include <QObject>
#include <QStringList>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "batchscope/storage/catalogue.h"

class QUndoStack;

namespace batchscope::desktop {

class CatalogueWatcher;

class RunEdits : public QObject {
  Q_OBJECT
 public:
  explicit RunEdits(CatalogueWatcher* watcher, QObject* parent = nullptr);

  QUndoStack* stack() const { return stack_; }

  // One of the fields that a person writes: name, group, tag, note.
  void set(const QString& id, const QString& field, const QString& text);
  // Adds the tags to each run, and takes those away that begin with "-": "paper, -draft".
  void tag(const QStringList& ids, const QString& tags);
  // Moves runs to the trash. Active and waiting runs stay, and a message says what to do about them.
  void remove(const QStringList& ids);
  // Out of the trash.
  void restore(const QStringList& ids);

 Q_SIGNALS:
  void failed(const QString& message);
  // "Deleted digits-3."; `undo` brings back these runs, whatever was done since.
  void removed(const QString& message, const std::function<void()>& undo);

 private:
  friend class RunEdit;
  using Change = std::function<void(storage::Catalogue&)>;
  struct TagChange {
    std::string id;
    std::vector<std::string> added, removed;
  };
  // These tell what fails, and are false then.
  template <class Do>
  bool attempt(Do act);
  bool write(const Change& change);
  bool push(const QString& text, Change forth, Change back);
  bool isLast(std::int64_t serial) const;  // of what was done and not undone
  void undoRemoval(std::int64_t serial, const std::vector<std::string>& ids, const QString& what);
  void changeTags(const QString& text, std::vector<TagChange> changes);

  CatalogueWatcher* watcher_;
  QUndoStack* stack_;
  std::int64_t serial_ = 0;  // of the newest edit
};

}  // namespace batchscope::desktop
