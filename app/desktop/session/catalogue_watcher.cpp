// SPDX-License-Identifier: GPL-3.0-or-later
#include "session/catalogue_watcher.h"

#include <algorithm>

namespace batchscope::desktop {

CatalogueWatcher::CatalogueWatcher(const std::filesystem::path& file, QObject* parent)
    : QObject(parent), file_(file), catalogue_(file), runs_(catalogue_.runs()) {
  connect(&timer_, &QTimer::timeout, this, &CatalogueWatcher::poll);
  timer_.start(250);
}

const storage::Run* CatalogueWatcher::find(const std::string& id) const {
  const auto found = std::ranges::find(runs_, id, &storage::Run::id);
  return found == runs_.end() ? nullptr : &*found;
}

bool CatalogueWatcher::hasActiveRuns() const {
  return std::ranges::any_of(runs_, [](const storage::Run& run) { return is_active(run.state); });
}

void CatalogueWatcher::poll() {
  try {
    const bool overdue = hasActiveRuns() && ++quietPolls_ >= 8;
    if (catalogue_.changed() || overdue) reload();
  } catch (const Error& error) {
    Q_EMIT failed(QString::fromUtf8(error.what()));
  }
}

void CatalogueWatcher::reload() {
  quietPolls_ = 0;
  try {
    runs_ = catalogue_.runs();
    Q_EMIT changed();
  } catch (const Error& error) {
    Q_EMIT failed(QString::fromUtf8(error.what()));
  }
}

}  // namespace batchscope::desktop
