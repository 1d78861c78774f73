// SPDX-License-Identifier: Apache-2.0
//
// One blocking request to a supervisor, over a plain socket: it needs no event loop, so that a command or a
// test can use it anywhere.
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <thread>

#include "batchscope/protocol/paths.h"
#include "batchscope/protocol/unix_address.h"
#include "batchscope/run/client.h"
#include "client/absent_supervisor.h"
#include "socket/peer.h"

namespace batchscope::run {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds kBetweenLooks{50};

// Returns 0, or the reason as an errno.
int connect_to(int fd, const std::filesystem::path& path) {
  const sockaddr_un address = protocol::unix_address(path);
  return connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0 ? 0 : errno;
}

class Connection {
 public:
  Connection(const std::string& id, int timeout_ms)
      : id_(id), deadline_(Clock::now() + std::chrono::milliseconds(timeout_ms)) {
    const auto path = protocol::run_paths(id).control_socket;
    while (!connects(path)) await_listener();
    if (!is_trusted_peer(fd_)) {
      close(fd_);
      throw Error(ErrorKind::io,
                  "another user's process listens at " + path.string() + ": remove the socket");
    }
  }
  ~Connection() { close(fd_); }
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  // A supervisor that takes no request may have said why before it closed: that is left to read_line.
  void write(std::string_view text) {
    while (!text.empty()) {
      wait(POLLOUT);
      const ssize_t n = send(fd_, text.data(), text.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
      if (n >= 0)
        text.remove_prefix(static_cast<std::size_t>(n));
      else if (errno != EINTR && errno != EAGAIN)
        return;
    }
  }

  std::string read_line() {
    for (;;) {
      wait(POLLIN);
      std::array<char, 1 << 14> block;
      const ssize_t n = recv(fd_, block.data(), block.size(), MSG_DONTWAIT);
      if (n < 0 && (errno == EINTR || errno == EAGAIN)) continue;
      if (n <= 0) gone();
      const auto lines = splitter_.feed({block.data(), static_cast<std::size_t>(n)});
      if (!lines.empty()) return lines.front();
    }
  }

 private:
  bool connects(const std::filesystem::path& path) {
    fd_ = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd_ < 0) throw Error(ErrorKind::io, std::string("cannot make a socket: ") + std::strerror(errno));
    if (connect_to(fd_, path) == 0) return true;
    close(fd_);
    return false;
  }

  // A supervisor that has just begun does not listen yet, and one that lost its socket makes it anew.
  void await_listener() const {
    const Error absent = absent_supervisor(id_);
    if (absent.kind() != ErrorKind::io || Clock::now() + kBetweenLooks > deadline_) throw absent;
    std::this_thread::sleep_for(kBetweenLooks);
  }

  void wait(short what) {
    for (;;) {
      const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline_ - Clock::now()).count();
      pollfd poll_fd{fd_, what, 0};
      const int ready = left > 0 ? poll(&poll_fd, 1, static_cast<int>(left)) : 0;
      if (ready > 0) return;
      if (ready == 0)
        throw Error(ErrorKind::timeout, "the supervisor of run " + id_ + " did not answer in time");
      if (errno != EINTR) gone();
    }
  }

  [[noreturn]] void gone() const {
    throw Error(ErrorKind::io, "the supervisor of run " + id_ + " ended before it answered");
  }

  const std::string& id_;
  const Clock::time_point deadline_;
  protocol::LineSplitter splitter_;
  int fd_ = -1;
};

}  // namespace

bool is_supervised(const std::string& id) {
  const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  const int fault = connect_to(fd, protocol::run_paths(id).control_socket);
  close(fd);
  return fault == 0 || fault == EAGAIN;  // EAGAIN: so many others wait that no more may
}

protocol::Json request(const std::string& id, const protocol::Request& request, int timeout_ms) {
  Connection connection(id, timeout_ms);
  connection.write(request.line());
  return protocol::reply_result(protocol::parse_object(connection.read_line()));
}

}  // namespace batchscope::run
