// SPDX-License-Identifier: Apache-2.0
#include "adapt/sched_hints_client.h"

#include <condition_variable>
#include <cstdio>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

#include "batchscope/protocol/error.h"
#include "batchscope/protocol/quiet_thread.h"
#include "batchscope/protocol/sched_hints.h"
#include "collective/http_client.h"

namespace batchscope::replica {
namespace {

constexpr std::chrono::seconds kTimeout{10};

}  // namespace

void put_sched_hints(const std::string& url, const std::string& job, const std::string& hints,
                     std::chrono::milliseconds timeout) {
  const HttpAnswer answer = http_request("PUT", url, "/hints/" + job, hints, timeout);
  if (answer.status != 200)
    throw Error(ErrorKind::io, url + " refused sched hints: " + std::to_string(answer.status));
}

// Outlives the client where the thread does.
struct SchedHintsClient::Shared {
  const std::string url, job;
  const std::chrono::milliseconds interval;
  std::mutex mutex;
  std::condition_variable changed;
  std::optional<protocol::Model> waiting;
  bool stop = false;

  void run() {
    bool warned = false;
    std::unique_lock lock(mutex);
    while (true) {
      changed.wait(lock, [&] { return stop || waiting; });
      if (stop) return;
      const protocol::Model model = *std::exchange(waiting, {});
      lock.unlock();
      try {
        put_sched_hints(url, job, protocol::sched_hints(model).dump(), kTimeout);
      } catch (const Error& error) {
        if (!std::exchange(warned, true))
          std::fprintf(stderr, "batchscope: the scheduler did not take the hints; training goes on: %s\n",
                       error.what());
      }
      lock.lock();
      changed.wait_for(lock, interval, [&] { return stop; });
    }
  }
};

SchedHintsClient::SchedHintsClient(std::string url, std::string job, std::chrono::milliseconds interval)
    : shared_(new Shared{std::move(url), std::move(job), interval, {}, {}, {}}) {}

SchedHintsClient::~SchedHintsClient() {
  const std::lock_guard lock(shared_->mutex);
  shared_->stop = true;
  shared_->changed.notify_all();
}

void SchedHintsClient::post(const protocol::Model& model) {
  {
    const std::lock_guard lock(shared_->mutex);
    shared_->waiting = model;
    shared_->changed.notify_all();
  }
  if (std::exchange(started_, true)) return;
  protocol::quiet_thread([shared = shared_] { shared->run(); }).detach();
}

}  // namespace batchscope::replica
