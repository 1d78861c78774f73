// SPDX-License-Identifier: GPL-3.0-or-later
#include "session/catalogue_watcher.h"

#include <algorithm>
#include <functional>

#include "batchscope/common/heard.h"

namespace batchscope::desktop {

CatalogueWatcher::CatalogueWatcher(const std::filesystem::path& file, QObject* parent)
    : QObject(parent), file_(file), catalogue_(file), origins_(file) {
  read();
  connect(&timer_, &QTimer::timeout, this, &CatalogueWatcher::poll);
  timer_.start(250);
}

void CatalogueWatcher::read() {
  std::vector<storage::Run> all = catalogue_.runs();
  followed_ = origins_.followed();
  silences_.clear();
  const double now = storage::now();
  for (const storage::Run& run : all)
    if (const auto heard = common::lastHeard(run, followed_.contains(run.id), now))
      silences_[run.id] = common::lastHeardText(*heard, now);
  const auto recorded = std::stable_partition(all.begin(), all.end(), std::not_fn(storage::is_lesson));
  recorded_.assign(recorded, all.end());
  all.erase(recorded, all.end());
  runs_ = std::move(all);
}

const storage::Run* CatalogueWatcher::find(const std::string& id) const {
  for (const auto* runs : {&runs_, &recorded_})
    if (const auto found = std::ranges::find(*runs, id, &storage::Run::id); found != runs->end())
      return &*found;
  return nullptr;
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
    read();
    Q_EMIT changed();
  } catch (const Error& error) {
    Q_EMIT failed(QString::fromUtf8(error.what()));
  }
}

}  // namespace batchscope::desktop
