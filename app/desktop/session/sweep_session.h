// SPDX-License-Identifier: GPL-3.0-or-later
//
// The sweep that the window shows. It is read on a thread of its own with a catalogue connection of its own,
// only while it is watched, and evaluated again only where its rows have changed, since a thousand trials
// take time. Changes by a person go to the catalogue from another thread.
#pragma once

#include <QObject>
#include <QThreadPool>
#include <QTimer>
#include <memory>

#include "session/change_thread.h"
#include "session/sweep_snapshot.h"

namespace batchscope::desktop {

class CatalogueWatcher;

class SweepSession : public QObject {
  Q_OBJECT
 public:
  explicit SweepSession(CatalogueWatcher* watcher, QObject* parent = nullptr);
  ~SweepSession() override;

  const std::shared_ptr<const SweepSnapshot>& snapshot() const { return snapshot_; }  // as of the last change

  // Watches the sweep of this name; empty: always the newest one.
  void choose(const std::string& name);
  void watch(bool isWatched);
  // Runs `change` on another thread, one after the other, and reports what it throws.
  void change(ChangeThread::Change change) { changes_.carryOut(std::move(change)); }

 Q_SIGNALS:
  void changed();
  void failed(const QString& message);

 private:
  struct Reader;

  void read();
  void applySnapshot(const std::shared_ptr<const SweepSnapshot>& fresh);

  CatalogueWatcher* watcher_;
  std::shared_ptr<const SweepSnapshot> snapshot_;
  std::unique_ptr<Reader> reader_;  // used by one read at a time
  std::string chosen_;
  bool isWatched_ = false, isReading_ = false, isStale_ = false;
  QTimer clock_;  // for what no commit tells: the process that drives sweeps is gone
  ChangeThread changes_;
  QThreadPool reads_;  // the last member, so that the others outlive its thread
};

}  // namespace batchscope::desktop
