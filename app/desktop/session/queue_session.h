// SPDX-License-Identifier: GPL-3.0-or-later
//
// The queue that the window shows. All of it is read on a thread of its own with a catalogue connection of
// its own: a long history would hold up the window. Changes by a person go to the catalogue from another
// thread, since a run that is told to end may take seconds to answer.
#pragma once

#include <QObject>
#include <QThreadPool>
#include <QTimer>
#include <functional>
#include <memory>

#include "session/change_thread.h"
#include "session/queue_snapshot.h"

namespace batchscope::desktop {

class CatalogueWatcher;

class QueueSession : public QObject {
  Q_OBJECT
 public:
  explicit QueueSession(CatalogueWatcher* watcher, QObject* parent = nullptr);
  ~QueueSession() override;

  // Returns the queue as of the last change. What is only read while it is watched, see watch(), is as of
  // then.
  const QueueSnapshot& snapshot() const { return *snapshot_; }
  // Returns null for a run that is not in the queue and did not come from it.
  const pool::QueueEntry* find(const std::string& id) const;
  int place(const std::string& id) const;  // in the queue, from 1; 0: it is not in it

  // Says whether the queue is watched: then settings, decisions, leases and ended runs are read, too.
  void watch(bool isWatched);
  // Runs `change` on another thread, one after the other, and reports what it throws. Nothing that was read
  // before it was done is shown any more.
  using Change = ChangeThread::Change;
  void change(Change change);
  // Does the same with each of these runs; one that refuses does not stop the others.
  using Deed = std::function<void(storage::Catalogue&, const std::string& id)>;
  void changeEach(const std::vector<std::string>& ids, Deed deed);
  // Ends these runs. What is read meanwhile is shown: each may take seconds to answer.
  void cancel(const std::vector<std::string>& ids);

 Q_SIGNALS:
  void changed();
  void failed(const QString& message);

 private:
  struct Reader;

  void read();
  void applySnapshot(const std::shared_ptr<QueueSnapshot>& fresh, int changesBefore);

  CatalogueWatcher* watcher_;
  std::shared_ptr<QueueSnapshot> snapshot_;
  std::unique_ptr<Reader> reader_;  // used by one read at a time
  bool isWatched_ = false, isReading_ = false, isStale_ = false;
  int changesBegun_ = 0, changesDone_ = 0;
  QTimer clock_;  // for what no commit tells: how long somebody has waited
  ChangeThread changes_;
  QThreadPool reads_;  // the last member, so that the others outlive its thread
};

}  // namespace batchscope::desktop
