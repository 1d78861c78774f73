// SPDX-License-Identifier: GPL-3.0-or-later
#include "session/queue_session.h"

#include <QStringList>
#include <algorithm>
#include <utility>

#include "batchscope/common/queue_json.h"
#include "batchscope/protocol/error.h"
#include "batchscope/run/pool.h"
#include "batchscope/storage/origins.h"
#include "session/catalogue_watcher.h"

namespace batchscope::desktop {
namespace {

constexpr std::size_t kMostEnded = 100;  // that are shown
constexpr double kPast = 7 * 86400;      // s that the time line goes back
constexpr int kQueueTick = 2000;         // ms

// Returns a change that does `deed` to every run, whatever one refuses; the refusals are thrown together.
QueueSession::Change toEach(const std::vector<std::string>& ids, QueueSession::Deed deed) {
  return [ids, deed = std::move(deed)](storage::Catalogue& catalogue) {
    QStringList refusals;
    for (const std::string& id : ids) {
      try {
        deed(catalogue, id);
      } catch (const Error& error) {
        refusals << QString::fromUtf8(error.what());
      }
    }
    if (!refusals.isEmpty())
      throw Error(ErrorKind::conflict, refusals.join(QStringLiteral("; ")).toStdString());
  };
}

}  // namespace

// State kept between two reads: nothing changes of a run as long as it has no devices.
struct QueueSession::Reader {
  struct History {
    double until = 0;  // when it last had devices; 0: it has some
    std::vector<storage::Generation> generations = {};
    std::optional<protocol::Model> model = {};
  };
  std::filesystem::path file;
  std::map<std::string, History> histories = {};

  QueueSnapshot read(bool isWatched) {
    storage::Catalogue catalogue(file);
    QueueSnapshot snapshot;
    for (common::PlacedJob& job : common::placedJobs(catalogue, isWatched)) {
      if (job.rung) snapshot.rungs[job.entry.run.id] = *job.rung;
      snapshot.entries.push_back(std::move(job.entry));
    }
    // Trials that wait at a rung ask for nothing: they stand behind all others.
    const auto length = static_cast<std::ptrdiff_t>(queueLength(snapshot.entries));
    std::stable_partition(
        snapshot.entries.begin(), snapshot.entries.begin() + length,
        [&](const pool::QueueEntry& entry) { return !snapshot.rungs.contains(entry.run.id); });
    if (!isWatched) return snapshot;
    snapshot.entries.resize(std::min(snapshot.entries.size(), queueLength(snapshot.entries) + kMostEnded));
    snapshot.settings = catalogue.pool_settings();
    snapshot.decisions = catalogue.decisions();
    snapshot.nodes = common::nodeLanes(catalogue);
    snapshot.leases = catalogue.lease_events(storage::now() - kPast);
    for (const auto& [run, origin] : storage::Origins(file).followed()) snapshot.guests.insert(run);
    std::map<std::string, protocol::Model> models;
    for (const auto& [run, until] : lastUse(snapshot.leases)) {
      History& history = histories[run];
      if (until == 0 || until != history.until)
        history = {until, catalogue.generations(run), catalogue.model(run)};
      snapshot.generations[run] = history.generations;
      if (history.model) models[run] = *history.model;
    }
    snapshot.heartbeat = run::kPool.heartbeat();
    snapshot.hang = run::kPool.hang();
    snapshot.totals = totalsOf(snapshot, models, storage::now());
    snapshot.isWhole = true;
    return snapshot;
  }

 private:
  // Returns, by run, when it last had devices; 0 where it has some.
  static std::map<std::string, double> lastUse(const std::vector<storage::LeaseEvent>& leases) {
    std::map<std::string, double> last;
    for (const storage::LeaseEvent& lease : leases) {
      const auto [known, isNew] = last.try_emplace(lease.run, lease.until);
      known->second =
          lease.until == 0 || (!isNew && known->second == 0) ? 0 : std::max(known->second, lease.until);
    }
    return last;
  }
};

QueueSession::QueueSession(CatalogueWatcher* watcher, QObject* parent)
    : QObject(parent),
      watcher_(watcher),
      snapshot_(std::make_shared<QueueSnapshot>()),
      reader_(new Reader{watcher->file()}),
      changes_(watcher) {
  reads_.setMaxThreadCount(1);
  connect(&changes_, &ChangeThread::failed, this, &QueueSession::failed);
  connect(watcher_, &CatalogueWatcher::changed, this, &QueueSession::read);
  connect(&clock_, &QTimer::timeout, this, [this] {
    if (isWatched_ && queueLength(snapshot_->entries) > 0) read();
  });
  clock_.start(kQueueTick);
  read();
}

QueueSession::~QueueSession() = default;

const pool::QueueEntry* QueueSession::find(const std::string& id) const {
  const auto& entries = snapshot_->entries;
  const auto found = std::ranges::find(entries, id, [](const auto& entry) { return entry.run.id; });
  return found == entries.end() ? nullptr : &*found;
}

int QueueSession::place(const std::string& id) const {
  const pool::QueueEntry* entry = find(id);
  return entry == nullptr || hasEnded(*entry) ? 0 : 1 + static_cast<int>(entry - snapshot_->entries.data());
}

void QueueSession::watch(bool isWatched) {
  if (std::exchange(isWatched_, isWatched) != isWatched && isWatched) read();
}

void QueueSession::read() {
  // Most people have no queue: where it must be empty, nothing is read.
  const bool isEmpty = std::ranges::all_of(watcher_->runs(), [](const storage::Run& run) {
    return !is_active(run.state) && run.state != protocol::RunState::pending &&
           run.state != protocol::RunState::paused && run.state != protocol::RunState::interrupted;
  });
  if (isEmpty && !isWatched_ && queueLength(snapshot_->entries) == 0) return;
  if (isReading_) {
    isStale_ = true;
    return;
  }
  isReading_ = true;
  reads_.start([this, isWatched = isWatched_, changesBefore = changesDone_] {
    std::shared_ptr<QueueSnapshot> fresh;
    try {
      fresh = std::make_shared<QueueSnapshot>(reader_->read(isWatched));
    } catch (const std::exception& error) {
      Q_EMIT failed(QString::fromUtf8(error.what()));
    }
    QMetaObject::invokeMethod(
        this, [this, fresh, changesBefore] { applySnapshot(fresh, changesBefore); }, Qt::QueuedConnection);
  });
}

void QueueSession::applySnapshot(const std::shared_ptr<QueueSnapshot>& fresh, int changesBefore) {
  isReading_ = false;
  if (fresh && changesBefore == changesBegun_) {
    if (!fresh->isWhole) mergeFinishedEntries(*fresh, std::move(*snapshot_));
    snapshot_ = fresh;
    Q_EMIT changed();
  }
  if (std::exchange(isStale_, false)) read();
}

void QueueSession::change(Change change) {
  ++changesBegun_;
  changes_.carryOut(std::move(change), [this] { ++changesDone_; });
}

void QueueSession::changeEach(const std::vector<std::string>& ids, Deed deed) {
  change(toEach(ids, std::move(deed)));
}

void QueueSession::cancel(const std::vector<std::string>& ids) {
  changes_.carryOut(toEach(ids, pool::cancel));
}

}  // namespace batchscope::desktop
