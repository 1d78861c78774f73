// SPDX-License-Identifier: Apache-2.0
#include "feeds/live_runs.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "batchscope/common/shown_json.h"

namespace batchscope::web {
namespace {

using namespace std::chrono_literals;
using protocol::Json;

constexpr auto kKeep = 60s, kSweep = 10s;
constexpr auto kLook = 10ms, kPatience = 250ms;  // for those whom nobody has asked before

}  // namespace

LiveRun::LiveRun(const std::string& id) : client_(id) {
  QObject::connect(&client_, &run::ControlClient::statusChanged, &client_,
                   [this](const protocol::RunStatus& status) {
                     if (status.phase.empty() || present_ == 0) present_ = status.replicas;
                     status_ = status;
                     status_["shown"] = common::shownJson(status, present_);
                     if (on_status) on_status();
                   });
  QObject::connect(&client_, &run::ControlClient::connectedChanged, &client_, [this](bool connected) {
    if (connected || status_.is_null()) return;
    status_ = nullptr;
    present_ = 0;
    if (on_status) on_status();
  });
}

LiveRuns::LiveRuns() {
  QObject::connect(&timer_, &QTimer::timeout, &timer_, [this] { forget(); });
  timer_.start(kSweep);
}

std::shared_ptr<LiveRun> LiveRuns::of(const std::string& id) {
  Kept& kept = kept_[id];
  if (!kept.run) kept.run = std::make_shared<LiveRun>(id);
  kept.used.start();
  return kept.run;
}

void LiveRuns::ask(const std::vector<std::string>& ids, std::function<void(const Statuses&)> done) {
  if (ids.empty()) return done({});
  auto* timer = new QTimer(&context_);
  QElapsedTimer since;
  since.start();
  std::map<std::string, std::shared_ptr<LiveRun>> runs;
  for (const std::string& id : ids) runs[id] = of(id);
  const auto look = [timer, since, runs = std::move(runs), done = std::move(done)] {
    if (!timer->isActive()) return;  // it has been done
    const bool all = std::all_of(runs.begin(), runs.end(),
                                 [](const auto& entry) { return !entry.second->status().is_null(); });
    if (!all && since.elapsed() < std::chrono::milliseconds(kPatience).count()) return;
    timer->stop();
    timer->deleteLater();
    Statuses statuses;
    for (const auto& [id, run] : runs)
      if (!run->status().is_null()) statuses[id] = run->status();
    done(statuses);
  };
  QObject::connect(timer, &QTimer::timeout, timer, look);
  timer->start(kLook);
  QMetaObject::invokeMethod(timer, look, Qt::QueuedConnection);
}

void LiveRuns::forget() {
  std::erase_if(kept_, [](const auto& entry) {
    const Kept& kept = entry.second;
    return kept.run.use_count() == 1 && kept.used.hasExpired(std::chrono::milliseconds(kKeep).count());
  });
}

}  // namespace batchscope::web
