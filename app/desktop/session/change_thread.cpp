// SPDX-License-Identifier: GPL-3.0-or-later
#include "session/change_thread.h"

#include <utility>

#include "session/catalogue_watcher.h"

namespace batchscope::desktop {

ChangeThread::ChangeThread(CatalogueWatcher* watcher, QObject* parent) : QObject(parent), watcher_(watcher) {
  thread_.setMaxThreadCount(1);
}

void ChangeThread::carryOut(Change change, std::function<void()> done) {
  thread_.start([this, change = std::move(change), done = std::move(done)] {
    try {
      storage::Catalogue catalogue(watcher_->file());
      change(catalogue);
    } catch (const std::exception& error) {
      Q_EMIT failed(QString::fromUtf8(error.what()));
    }
    const auto finish = [this, done] {
      done();
      watcher_->reload();
    };
    QMetaObject::invokeMethod(this, finish, Qt::QueuedConnection);
  });
}

}  // namespace batchscope::desktop
