// SPDX-License-Identifier: Apache-2.0
#include "nodes/tcp_line.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <netdb.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <memory>

#include "batchscope/protocol/error.h"
#include "batchscope/protocol/time_outs.h"

namespace batchscope::run {
namespace {

namespace time_out = protocol::time_out;

constexpr int kProbes = 3;

int seconds(std::chrono::seconds time) { return static_cast<int>(time.count()); }

}  // namespace

// A third of the time in silence, the rest in probes.
void watch_tcp_line(int descriptor) {
  const auto set = [descriptor](int level, int option, int value) {
    setsockopt(descriptor, level, option, &value, sizeof value);
  };
  set(SOL_SOCKET, SO_KEEPALIVE, 1);
  set(IPPROTO_TCP, TCP_KEEPIDLE, seconds(time_out::kNodeLine) / 3);
  set(IPPROTO_TCP, TCP_KEEPINTVL, seconds(time_out::kNodeLine) * 2 / 3 / kProbes);
  set(IPPROTO_TCP, TCP_KEEPCNT, kProbes);
  set(IPPROTO_TCP, TCP_USER_TIMEOUT, seconds(time_out::kNodeLine) * 1000);
  set(IPPROTO_TCP, TCP_NODELAY, 1);
}

int connect_tcp_line(const std::string& address, int port, std::chrono::milliseconds patience) {
  const std::string where = fmt::format("{}:{}", address, port);
  addrinfo hints{}, *found = nullptr;
  hints.ai_flags = AI_NUMERICHOST;
  if (const int error = getaddrinfo(address.c_str(), std::to_string(port).c_str(), &hints, &found))
    throw Error(ErrorKind::io, "no connection to " + where + ": " + gai_strerror(error));
  const std::unique_ptr<addrinfo, decltype(&freeaddrinfo)> addresses(found, freeaddrinfo);
  const int descriptor = socket(found->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  int error = descriptor < 0 ? errno : 0;
  if (!error && connect(descriptor, found->ai_addr, found->ai_addrlen) != 0) error = errno;
  if (error == EINPROGRESS) {
    pollfd connected{descriptor, POLLOUT, 0};
    const auto count = TEMP_FAILURE_RETRY(poll(&connected, 1, static_cast<int>(patience.count())));
    socklen_t size = sizeof error;
    if (count <= 0)
      error = ETIMEDOUT;
    else
      getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &error, &size);
  }
  if (error) {
    if (descriptor >= 0) close(descriptor);
    throw Error(error == ETIMEDOUT ? ErrorKind::timeout : ErrorKind::io,
                "no connection to " + where + ": " + std::strerror(error));
  }
  fcntl(descriptor, F_SETFL, 0);
  watch_tcp_line(descriptor);
  return descriptor;
}

}  // namespace batchscope::run
