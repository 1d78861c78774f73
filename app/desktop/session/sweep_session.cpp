// SPDX-License-Identifier: GPL-3.0-or-later
#include "session/sweep_session.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "batchscope/common/sweep_progress.h"
#include "batchscope/sweep/driver.h"
#include "session/catalogue_watcher.h"

namespace batchscope::desktop {
namespace {

constexpr int kSweepTick = 2000;  // ms

using storage::Sweep;
using storage::SweepLeg;
using storage::TrialRun;

bool isSame(const Sweep& a, const Sweep& b) {
  const auto shownFields = [](const Sweep& sweep) {
    return std::tie(sweep.name, sweep.file, sweep.state, sweep.message, sweep.width, sweep.created,
                    sweep.ended);
  };
  return shownFields(a) == shownFields(b);
}

// Legs are added and come to their end, and never change otherwise.
bool isSame(const std::vector<SweepLeg>& a, const std::vector<SweepLeg>& b) {
  return std::ranges::equal(a, b, {}, &SweepLeg::outcome, &SweepLeg::outcome);
}

bool isSame(const std::vector<TrialRun>& a, const std::vector<TrialRun>& b) {
  return std::ranges::equal(a, b, {}, &TrialRun::run, &TrialRun::run);
}

bool isSame(const std::vector<Sweep>& a, const std::vector<Sweep>& b) {
  return std::ranges::equal(a, b, [](const Sweep& one, const Sweep& other) { return isSame(one, other); });
}

}  // namespace

// State kept between two reads.
struct SweepSession::Reader {
  std::filesystem::path file;
  std::shared_ptr<const SweepSnapshot> last = {};
  std::vector<TrialRun> runs = {};  // of the trials of `last`

  // Returns the previous snapshot if nothing changed.
  std::shared_ptr<const SweepSnapshot> read(const std::string& chosen) {
    storage::Catalogue catalogue(file);
    storage::Sweeps sweeps(catalogue);
    auto fresh = std::make_shared<SweepSnapshot>();
    fresh->sweeps = sweeps.all();
    const auto found = std::ranges::find(fresh->sweeps, chosen, &Sweep::name);
    const Sweep* sweep = found != fresh->sweeps.end() ? &*found
                         : fresh->sweeps.empty()      ? nullptr
                                                      : &fresh->sweeps.front();
    fresh->isDriven = sweep::kDriver.alive();
    std::vector<TrialRun> freshRuns;
    if (sweep != nullptr) {
      fresh->name = sweep->name;
      try {
        auto legs = sweeps.legs(sweep->name);
        freshRuns = sweeps.runs(sweep->name);
        const bool isKnown = last && last->name == fresh->name && last->view &&
                             last->isDriven == fresh->isDriven && isSame(last->sweeps, fresh->sweeps) &&
                             isSame(last->view->rows, legs) && isSame(runs, freshRuns);
        if (isKnown) return last;
        fresh->view = sweep::view_of(*sweep, std::move(legs), freshRuns);
        fresh->importance = common::importanceOf(*fresh->view);
      } catch (const std::exception& error) {
        fresh->view.reset();
        fresh->fault = QString::fromUtf8(error.what());
      }
    }
    runs = std::move(freshRuns);
    last = fresh;
    return fresh;
  }
};

SweepSession::SweepSession(CatalogueWatcher* watcher, QObject* parent)
    : QObject(parent),
      watcher_(watcher),
      snapshot_(std::make_shared<SweepSnapshot>()),
      reader_(new Reader{watcher->file()}),
      changes_(watcher) {
  reads_.setMaxThreadCount(1);
  connect(watcher_, &CatalogueWatcher::changed, this, &SweepSession::read);
  connect(&changes_, &ChangeThread::failed, this, &SweepSession::failed);
  connect(&clock_, &QTimer::timeout, this, &SweepSession::read);
  clock_.start(kSweepTick);
}

SweepSession::~SweepSession() = default;

void SweepSession::choose(const std::string& name) {
  if (std::exchange(chosen_, name) != name) read();
}

void SweepSession::watch(bool isWatched) {
  if (std::exchange(isWatched_, isWatched) != isWatched && isWatched) read();
}

void SweepSession::read() {
  if (!isWatched_) return;
  if (isReading_) {
    isStale_ = true;
    return;
  }
  isReading_ = true;
  reads_.start([this, chosen = chosen_] {
    std::shared_ptr<const SweepSnapshot> fresh;
    try {
      fresh = reader_->read(chosen);
    } catch (const std::exception& error) {
      Q_EMIT failed(QString::fromUtf8(error.what()));
    }
    QMetaObject::invokeMethod(
        this, [this, fresh] { applySnapshot(fresh); }, Qt::QueuedConnection);
  });
}

void SweepSession::applySnapshot(const std::shared_ptr<const SweepSnapshot>& fresh) {
  isReading_ = false;
  if (fresh && fresh != snapshot_) {
    snapshot_ = fresh;
    Q_EMIT changed();
  }
  if (std::exchange(isStale_, false)) read();
}

}  // namespace batchscope::desktop
