// SPDX-License-Identifier: Apache-2.0
//
// The smallest HTTP client that does: one request a connection, of whose answer the status counts.
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
#include "collective/socket.h"

namespace batchscope::replica {
namespace {

constexpr std::chrono::seconds kTimeout{10};
constexpr std::string_view kScheme = "http://";

struct Url {
  std::string authority;  // as written
  std::string address;    // "tcp:HOST:PORT"
  std::string path;       // empty, or from its slash on
};

Url parse(const std::string& text) {
  const auto slash = text.find('/', kScheme.size());
  Url url;
  if (text.starts_with(kScheme)) url.authority = text.substr(kScheme.size(), slash - kScheme.size());
  if (url.authority.empty() || text.find_first_of(" \r\n?#") != std::string::npos)
    throw Error(ErrorKind::usage, "'" + text + "': expected http://HOST:PORT/PATH");
  if (slash != std::string::npos) url.path = text.substr(slash);
  while (url.path.ends_with('/')) url.path.pop_back();
  const bool has_port = url.authority.find(':') != std::string::npos;
  url.address = "tcp:" + url.authority + (has_port ? "" : ":80");
  return url;
}

void check(Transfer transfer, const std::string& url) {
  if (transfer == Transfer::timed_out) throw Error(ErrorKind::timeout, url + " does not answer");
  if (transfer == Transfer::closed) throw Error(ErrorKind::io, url + " closed the connection");
}

}  // namespace

void put_sched_hints(const std::string& url, const std::string& job, const std::string& hints,
                     std::chrono::milliseconds timeout) {
  const Url to = parse(url);
  const Deadline deadline = std::chrono::steady_clock::now() + timeout;
  Socket socket = connect_to(to.address, deadline);
  check(socket.send("PUT " + to.path + "/hints/" + job + " HTTP/1.1\r\nHost: " + to.authority +
                        "\r\nContent-Type: application/json\r\nContent-Length: " +
                        std::to_string(hints.size()) + "\r\nConnection: close\r\n\r\n" + hints,
                    deadline),
        url);
  std::string status(std::string_view("HTTP/1.1 200").size(), '\0');
  check(socket.receive(status.data(), status.size(), deadline), url);
  if (!status.starts_with("HTTP/1.") || !status.ends_with(" 200"))
    throw Error(ErrorKind::io, url + " refused sched hints: " + status);
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
    bool told = false;
    std::unique_lock lock(mutex);
    while (true) {
      changed.wait(lock, [&] { return stop || waiting; });
      if (stop) return;
      const protocol::Model model = *std::exchange(waiting, {});
      lock.unlock();
      try {
        put_sched_hints(url, job, protocol::sched_hints(model).dump(), kTimeout);
      } catch (const Error& error) {
        if (!std::exchange(told, true))
          std::fprintf(stderr, "batchscope: the scheduler takes no hints, training goes on: %s\n",
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
