// SPDX-License-Identifier: Apache-2.0
#include "nodes/stand_in.h"

#include <poll.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <thread>

#include "batchscope/protocol/environment.h"
#include "batchscope/protocol/error.h"
#include "batchscope/protocol/json.h"
#include "batchscope/protocol/time_outs.h"
#include "batchscope/protocol/unix_address.h"
#include "nodes/blocking_line.h"
#include "nodes/checkpoint_exchange.h"
#include "nodes/frame.h"
#include "nodes/messages.h"

namespace batchscope::run {
namespace {

// Exit code by which a shell says that it could not start a program.
constexpr int kNotStarted = 127;

std::string read_all(int descriptor) {
  std::string text;
  char bytes[1 << 14];
  for (ssize_t count; (count = TEMP_FAILURE_RETRY(read(descriptor, bytes, sizeof bytes))) != 0;) {
    if (count < 0) throw Error(ErrorKind::io, std::string("cannot read the order: ") + std::strerror(errno));
    text.append(bytes, static_cast<std::size_t>(count));
  }
  return text;
}

// Writes as much as somebody takes.
void write_all(int descriptor, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t count = TEMP_FAILURE_RETRY(write(descriptor, bytes.data(), bytes.size()));
    if (count < 0) return;
    bytes.remove_prefix(static_cast<std::size_t>(count));
  }
}

// The checkpoints that the replica is told to pass over.
std::map<std::string, std::string> unloadable(const ReplicaOrder& order) {
  const auto found = order.environment.find(protocol::variable::kUnloadable);
  if (found == order.environment.end()) return {};
  return protocol::parse_object(found->second);
}

// Ends as the replica did, which may have left a core of its own.
[[noreturn]] void end_as(int status) {
  if (WIFEXITED(status)) _exit(WEXITSTATUS(status));
  const rlimit none{0, 0};
  setrlimit(RLIMIT_CORE, &none);
  const int number = WTERMSIG(status);
  signal(number, SIG_DFL);
  raise(number);  // delivered once it is let through, unless it is SIGKILL
  sigset_t all;
  sigemptyset(&all);
  sigprocmask(SIG_SETMASK, &all, nullptr);
  _exit(128 + number);
}

class StandIn {
 public:
  StandIn(const StandInOrder& order, int signals)
      : order_(order),
        signals_(signals),
        line_(connect_blocking_line(order.address, order.port, order.welcome)) {
    send(FrameKind::hello, encode(NodeHello{order.welcome.token, Caller::stand_in}));
    if (order.checkpoints.empty()) {
      send(FrameKind::order, encode(order.replica));
      return;
    }
    exchange_.emplace(order.checkpoints, unloadable(order.replica));
    send(FrameKind::offer, encode(exchange_->offer()));
  }

  [[noreturn]] void relay() {
    for (;;) {
      pollfd events[] = {{signals_, POLLIN, 0}, {line_->descriptor(), POLLIN, 0}};
      poll(events, 2, line_->has_more() ? 0 : -1);
      if (events[0].revents) hand_on_signals();
      if (events[1].revents || line_->has_more()) read_line();
    }
  }

 private:
  void send(FrameKind kind, std::string_view bytes) const { line_->write(encode(kind, bytes)); }

  void hand_on_signals() const {
    for (signalfd_siginfo info; read(signals_, &info, sizeof info) == sizeof info;)
      send(FrameKind::signal, encode(HandedSignal{static_cast<int>(info.ssi_signo), info.ssi_int}));
  }

  void read_line() {
    splitter_.feed(line_->read());
    for (Frame frame; splitter_.next(frame);) take(frame);
  }

  void take(const Frame& frame) {
    switch (frame.kind) {
      case FrameKind::output: write_all(STDOUT_FILENO, frame.bytes); return;
      case FrameKind::telemetry: return pass(decode_telemetry(frame.bytes));
      case FrameKind::wanted:
        if (exchange_) return begin(decode_wanted(frame.bytes));
        break;
      case FrameKind::checkpoint:
      case FrameKind::state:
      case FrameKind::spoilt:
        if (exchange_) return exchange_->take(frame);
        break;
      case FrameKind::written: {
        const TelemetryBytes telemetry = decode_telemetry(frame.bytes);
        if (!exchange_) break;
        const std::string told = exchange_->told(telemetry.bytes);
        if (!told.empty()) pass({telemetry.connection, told});
        return exchange_->tidy();
      }
      case FrameKind::exit: end_as(decode_status(frame.bytes));
      case FrameKind::refused: throw Error(ErrorKind::failure, frame.bytes);
      default: break;
    }
    throw Error(ErrorKind::usage, "the agent sent a frame that does not belong here");
  }

  void begin(bool checkpoint_is_wanted) {
    if (checkpoint_is_wanted)
      exchange_->send([this](FrameKind kind, std::string_view bytes) { send(kind, bytes); });
    send(FrameKind::order, encode(order_.replica));
  }

  // A supervisor that has closed its end is gone, or wants no more of it.
  void pass(const TelemetryBytes& telemetry) {
    if (telemetry.bytes.empty()) {
      if (const auto found = telemetry_.find(telemetry.connection); found != telemetry_.end()) {
        if (found->second >= 0) close(found->second);
        telemetry_.erase(found);
      }
      return;
    }
    const auto [entry, is_new] = telemetry_.emplace(telemetry.connection, -1);
    if (is_new) entry->second = connect_telemetry();
    if (entry->second >= 0) write_all(entry->second, telemetry.bytes);
  }

  int connect_telemetry() const {
    const sockaddr_un address = protocol::unix_address(order_.telemetry_socket);
    const int descriptor = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (connect(descriptor, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0)
      return descriptor;
    close(descriptor);
    return -1;
  }

  const StandInOrder order_;
  const int signals_;
  const std::unique_ptr<BlockingLine> line_;
  FrameSplitter splitter_;
  std::optional<CheckpointExchange> exchange_;  // where the node does not see the run's checkpoints
  std::map<std::uint32_t, int> telemetry_;
};

// Not at once: where the whole node is gone, the supervisor shall find that out first, and kills us for it.
[[noreturn]] void end_as_broken(const std::string& why) {
  std::fprintf(stderr, "batchscope-node: the line to the replica's node broke: %s\n", why.c_str());
  std::this_thread::sleep_for(protocol::time_out::kLastWords);
  end_as(SIGKILL);
}

int catch_signals() {
  sigset_t handed;
  sigemptyset(&handed);
  for (const int number : handed_signals()) sigaddset(&handed, number);
  sigprocmask(SIG_BLOCK, &handed, nullptr);
  signal(SIGPIPE, SIG_IGN);
  const int descriptor = signalfd(-1, &handed, SFD_NONBLOCK | SFD_CLOEXEC);
  if (descriptor < 0)
    throw Error(ErrorKind::io, std::string("cannot listen to signals: ") + std::strerror(errno));
  return descriptor;
}

}  // namespace

int stand_in(int order) try {
  const int signals = catch_signals();
  StandIn(decode_stand_in(read_all(order)), signals).relay();
} catch (const BlockingLine::Broken& broken) {
  end_as_broken(broken.why);
} catch (const Error& error) {
  std::fprintf(stderr, "batchscope-node: %s\n", error.what());
  return kNotStarted;
}

}  // namespace batchscope::run
