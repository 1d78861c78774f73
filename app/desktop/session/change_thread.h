// SPDX-License-Identifier: GPL-3.0-or-later
//
// Changes to the catalogue, carried out on another thread one after another: a run that is told to end may
// take seconds to answer, and the window does not wait.
#pragma once

#include <QObject>
#include <QThreadPool>
#include <functional>

#include "batchscope/storage/catalogue.h"

namespace batchscope::desktop {

class CatalogueWatcher;

class ChangeThread : public QObject {
  Q_OBJECT
 public:
  explicit ChangeThread(CatalogueWatcher* watcher, QObject* parent = nullptr);

  using Change = std::function<void(storage::Catalogue&)>;
  // Calls `done` on this thread, whether the change succeeded or not, and has the catalogue read again.
  void carryOut(
      Change change, std::function<void()> done = [] {});

 Q_SIGNALS:
  void failed(const QString& message);

 private:
  CatalogueWatcher* watcher_;
  QThreadPool thread_;  // the last member, so that the others outlive it
};

}  // namespace batchscope::desktop
