// SPDX-License-Identifier: Apache-2.0
//
// The sender thread. It wakes when a message comes that should go out at once, for the next batch of steps
// (at most 20 a second) and for heartbeats; it encodes only what the socket is likely to take, so that a
// supervisor that does not read leaves everything in the bounded queue.
#include "report/telemetry_client.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstring>
#include <mutex>
#include <thread>
#include <vector>

#include "batchscope/protocol/error.h"
#include "batchscope/protocol/quiet_thread.h"
#include "batchscope/protocol/time_outs.h"
#include "batchscope/protocol/unix_address.h"
#include "batchscope/replica/process_group.h"
#include "process/session.h"
#include "process/signals.h"
#include "report/telemetry_queue.h"

namespace batchscope::replica {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

namespace time_out = protocol::time_out;

constexpr milliseconds kStepsInterval{50};
constexpr std::size_t kBacklog = 1 << 20;  // bytes encoded ahead of the socket

class Client {
 public:
  Client(int socket, int rank, protocol::Hello hello, milliseconds orphaned)
      : socket_(socket), wake_(eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)), rank_(rank), orphaned_(orphaned) {
    append(std::move(hello));
    thread_ = protocol::quiet_thread([this] { run(); });
  }

  void send(protocol::Message message) {
    if (queue_.push(std::move(message))) wake();
  }
  void send(StepRow row) {
    if (queue_.push(std::move(row))) wake();
  }
  // Waits until all that was sent is with the system, but no longer than for a goodbye.
  void flush() {
    flushing_ = true;
    wake();
    std::unique_lock lock(flushed_mutex_);
    flushed_.wait_for(lock, time_out::kGoodbye, [this] { return !flushing_ || !connected(); });
  }
  void set_position(const protocol::Position& position) { queue_.set_position(position); }
  bool connected() const { return connected_.load(std::memory_order_relaxed); }

  void stop(milliseconds patience) {
    patience_ = patience;  // the thread reads it once it is to stop
    stopping_ = true;
    wake();
    thread_.join();
    close(socket_);
    close(wake_);
  }

  // Sets the collective that the training thread waits in, for heartbeats.
  void wait_in(std::string_view collective) {
    const std::lock_guard lock(activity_mutex_);
    waiting_in_ = collective;
    since_ = protocol::monotonic_seconds();
  }

  std::atomic<const char*> phase{"idle"};
  std::atomic<std::int64_t> step = 0;

 private:
  void wake() {
    const std::uint64_t one = 1;
    [[maybe_unused]] const auto written = ::write(wake_, &one, sizeof one);
  }

  void run() {
    auto next_steps = Clock::now(), next_heartbeat = next_steps;
    auto give_up = Clock::time_point::max();
    while (connected()) {
      const auto now = Clock::now();
      const bool stopping = stopping_;
      if (stopping) give_up = std::min(give_up, now + patience_);
      if (now >= next_heartbeat) {
        // One that the socket does not take now is stale when it does, and none follows a goodbye.
        if (out_.empty() && !stopping) append(heartbeat());
        next_heartbeat = now + time_out::kHeartbeat;
      }
      const bool flushing = flushing_;
      if (out_.size() < kBacklog && (stopping || flushing || now >= next_steps || !queue_.only_steps())) {
        for (const protocol::Message& message : queue_.take()) append(message);
        next_steps = now + kStepsInterval;
      }
      write_out();
      if (flushing && out_.empty() && queue_.empty()) {
        const std::lock_guard lock(flushed_mutex_);
        flushing_ = false;
        flushed_.notify_all();
      }
      if (stopping && ((out_.empty() && queue_.empty()) || now >= give_up)) return;
      const bool waiting_for_socket = out_.size() >= kBacklog;
      wait(std::min(
          {next_heartbeat, queue_.empty() || waiting_for_socket ? next_heartbeat : next_steps, give_up}));
    }
    end_orphan();
  }

  // No supervisor is left to kill a replica that hangs and does not leave.
  void end_orphan() {
    const auto deadline = Clock::now() + orphaned_;
    while (!stopping_ && Clock::now() < deadline) wait_for_wake(deadline);
    if (stopping_) return;
    std::fputs("batchscope: the checkpoint after the supervisor's end took too long; ending without it\n",
               stderr);
    _exit(kExitFailure);
  }

  protocol::Heartbeat heartbeat() {
    const std::lock_guard lock(activity_mutex_);
    return {rank_, step, phase.load(), waiting_in_, since_, protocol::monotonic_seconds()};
  }

  void append(const protocol::Message& message) { out_ += protocol::encode(message); }

  void write_out() {
    std::size_t done = 0;
    while (done < out_.size()) {
      const ssize_t n = ::send(socket_, out_.data() + done, out_.size() - done, MSG_NOSIGNAL | MSG_DONTWAIT);
      if (n < 0 && errno == EINTR) continue;
      if (n < 0 && errno == EAGAIN) break;
      if (n < 0) {
        lost();
        break;
      }
      done += static_cast<std::size_t>(n);
    }
    out_.erase(0, done);
  }

  static int left_until(Clock::time_point time) {
    return static_cast<int>(
        std::clamp<long>(std::chrono::ceil<milliseconds>(time - Clock::now()).count(), 0, 1000));
  }

  void take_wake() {
    std::uint64_t count;
    [[maybe_unused]] const auto n = read(wake_, &count, sizeof count);
  }

  void wait_for_wake(Clock::time_point until) {
    pollfd fd{wake_, POLLIN, 0};
    if (poll(&fd, 1, left_until(until)) > 0) take_wake();
  }

  void wait(Clock::time_point until) {
    pollfd fds[] = {{socket_, static_cast<short>(out_.empty() ? POLLIN : POLLIN | POLLOUT), 0},
                    {wake_, POLLIN, 0}};
    const auto& [line, woken] = fds;
    if (poll(fds, std::size(fds), left_until(until)) <= 0) return;
    if (woken.revents) take_wake();
    if (line.revents & (POLLIN | POLLHUP | POLLERR)) {
      char ignored[256];  // the supervisor says nothing on this line; its end is what matters
      const ssize_t n = recv(socket_, ignored, sizeof ignored, MSG_DONTWAIT);
      if (n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR)) lost();
    }
  }

  void lost() {
    if (!connected_.exchange(false) || stopping_) return;
    flushed_.notify_all();
    std::fputs("batchscope: the supervisor is gone; checkpointing and leaving\n", stderr);
    raise_request(ExitRequest::checkpoint_and_exit);
  }

  const int socket_, wake_;
  const int rank_;
  const milliseconds orphaned_;
  TelemetryQueue queue_;
  std::string out_;  // encoded, not yet sent
  std::mutex activity_mutex_;
  std::string waiting_in_;
  double since_ = 0;
  std::mutex flushed_mutex_;
  std::condition_variable flushed_;
  milliseconds patience_{};
  std::atomic<bool> connected_ = true, stopping_ = false, flushing_ = false;
  std::thread thread_;
};

struct Line {
  std::atomic<Client*> client = nullptr;  // until telemetry_stop, and left to itself then
  std::vector<std::function<void(int)>> last_words;
};

Client* client() { return session().part<Line>().client; }

int connect_to(const std::string& path) {
  const sockaddr_un address = protocol::unix_address(path);
  const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd >= 0 && connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
    const int error = errno;
    close(fd);
    return errno = error, -1;
  }
  return fd;
}

}  // namespace

void telemetry_start(const protocol::Environment& environment, protocol::Hello hello, milliseconds orphaned) {
  if (environment.telemetry_socket.empty() || client()) return;
  const int fd = connect_to(environment.telemetry_socket);
  if (fd < 0) {
    // It died before we came so far, and nobody would notice what became of us.
    throw Error(ErrorKind::io, "cannot reach the supervisor at " + environment.telemetry_socket + ": " +
                                   std::strerror(errno));
  }
  session().part<Line>().client = new Client(fd, environment.replica_rank, std::move(hello), orphaned);
}

void before_goodbye(std::function<void(int)> last_word) {
  session().part<Line>().last_words.push_back(std::move(last_word));
}

void telemetry_stop(int code, milliseconds patience) {
  Line& line = session().part<Line>();
  Client* const stopped = line.client;
  if (!stopped) return;
  for (const auto& last_word : line.last_words) last_word(code);
  stopped->send(protocol::Goodbye{replica_rank(), code, stopped->step, protocol::monotonic_seconds()});
  line.client = nullptr;
  stopped->stop(patience);  // and is left to itself: a thread may still be in one of its calls
}

void send(protocol::Message message) {
  if (Client* const c = client()) c->send(std::move(message));
}

bool telemetry_connected() {
  const Client* const c = client();
  return c && c->connected();
}

void set_step(std::int64_t step) {
  Client* const c = client();
  if (!c) return;
  c->step = step;
  c->wait_in({});
}

void send_step(std::int64_t step, Row values) {
  Client* const c = client();
  if (c && replica_rank() == 0) c->send(StepRow{step, std::move(values)});
}

void set_position(protocol::Position position) {
  Client* const c = client();
  if (!c || replica_rank() != 0) return;
  position.mono = protocol::monotonic_seconds();
  c->set_position(position);
}

PhaseScope::PhaseScope(const char* name) : before_("idle") {
  if (Client* const c = client()) before_ = c->phase.exchange(name);
}

PhaseScope::~PhaseScope() {
  if (Client* const c = client()) c->phase = before_;
}

void mark_progress() {
  if (Client* const c = client()) c->wait_in({});
}

WaitScope::WaitScope(std::string_view collective) {
  if (Client* const c = client()) c->wait_in(collective);
}

WaitScope::~WaitScope() { mark_progress(); }

void send_failure(protocol::Failure failure) {
  Client* const c = client();
  if (!c) return;
  failure.step = c->step;
  c->send(std::move(failure));
}

void telemetry_flush() {
  if (Client* const c = client()) c->flush();
}

void notice(const std::string& level, const std::string& text) {
  std::fprintf(stderr, "batchscope: %s: %s\n", level.c_str(), text.c_str());
  if (Client* const c = client()) c->send(protocol::Notice{level, text, c->step});
}

}  // namespace batchscope::replica
