// SPDX-License-Identifier: Apache-2.0
//
// Sockets stay in blocking mode and are read with MSG_DONTWAIT first: the usual small message has either
// come already, or is worth one poll().
#include "collective/socket.h"

#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cstring>
#include <memory>
#include <span>
#include <utility>

#include "batchscope/protocol/error.h"
#include "batchscope/protocol/unix_address.h"

namespace batchscope::replica {
namespace {

constexpr std::string_view kUnix = "unix:", kTcp = "tcp:";

[[noreturn]] void fail(const std::string& what) {
  throw Error(ErrorKind::io, what + ": " + std::strerror(errno));
}

// False when the deadline passed first.
bool wait_for(std::span<pollfd> entries, Deadline deadline) {
  for (;;) {
    const auto left =
        std::chrono::ceil<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now());
    const int ready = ::poll(entries.data(), entries.size(),
                             static_cast<int>(std::clamp<std::int64_t>(left.count(), 0, INT_MAX)));
    if (ready > 0) return true;
    if (ready < 0 && errno != EINTR) return true;  // the transfer that follows says what it is
    if (std::chrono::steady_clock::now() >= deadline) return false;
  }
}

bool wait_for(int descriptor, short events, Deadline deadline) {
  pollfd entry[] = {{descriptor, events, 0}};
  return wait_for(entry, deadline);
}

bool would_block() { return errno == EAGAIN || errno == EWOULDBLOCK; }

// Moves `count` bytes by `step(offset)`, which returns what the system call did.
template <class Step>
Transfer move_bytes(int descriptor, std::size_t count, short events, Deadline deadline, Step step) {
  for (std::size_t moved = 0; moved < count;) {
    const ssize_t now = step(moved);
    if (now > 0) {
      moved += static_cast<std::size_t>(now);
    } else if (now == 0) {
      return Transfer::closed;
    } else if (would_block()) {
      if (!wait_for(descriptor, events, deadline)) return Transfer::timed_out;
    } else if (errno != EINTR) {
      return Transfer::closed;
    }
  }
  return Transfer::done;
}

using Addresses = std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)>;

Addresses resolve(const std::string& host, const std::string& port) {
  addrinfo hints{}, *found = nullptr;
  hints.ai_family = AF_UNSPEC;
  hints.ai_socktype = SOCK_STREAM;
  if (const int error = ::getaddrinfo(host.c_str(), port.c_str(), &hints, &found))
    throw Error(ErrorKind::io, "host '" + host + "': " + ::gai_strerror(error));
  return {found, &::freeaddrinfo};
}

// Connects a non-blocking socket, and leaves it blocking. False with errno.
bool connect_before(Deadline deadline, int descriptor, const addrinfo& to) {
  if (::connect(descriptor, to.ai_addr, to.ai_addrlen) != 0 && errno != EINPROGRESS) return false;
  int error = ETIMEDOUT;
  socklen_t size = sizeof error;
  if (wait_for(descriptor, POLLOUT, deadline)) ::getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &error, &size);
  errno = error;
  if (error != 0) return false;
  return ::fcntl(descriptor, F_SETFL, ::fcntl(descriptor, F_GETFL) & ~O_NONBLOCK) == 0;
}

void send_at_once(int descriptor) {
  const int on = 1;
  ::setsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
}

}  // namespace

Socket::Socket(Socket&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}

Socket& Socket::operator=(Socket&& other) noexcept {
  std::swap(descriptor_, other.descriptor_);
  return *this;
}

Socket::~Socket() { close(); }

void Socket::close() {
  if (open()) ::close(std::exchange(descriptor_, -1));
}

Transfer Socket::send(std::string_view bytes, Deadline deadline) {
  return move_bytes(descriptor_, bytes.size(), POLLOUT, deadline, [&](std::size_t done) {
    return ::send(descriptor_, bytes.data() + done, bytes.size() - done, MSG_DONTWAIT | MSG_NOSIGNAL);
  });
}

Transfer Socket::receive(char* bytes, std::size_t count, Deadline deadline) {
  return move_bytes(descriptor_, count, POLLIN, deadline, [&](std::size_t done) {
    return ::recv(descriptor_, bytes + done, count - done, MSG_DONTWAIT);
  });
}

std::vector<bool> wait_for_any(const std::vector<const Socket*>& sockets, Deadline deadline) {
  std::vector<pollfd> entries;
  for (const Socket* socket : sockets) entries.push_back({socket->descriptor_, POLLIN, 0});
  std::vector<bool> readable;
  if (!wait_for(entries, deadline)) return readable;
  for (const pollfd& entry : entries) readable.push_back(entry.revents != 0);
  return readable;
}

bool fits_unix_socket(const std::string& path) { return path.size() < sizeof(sockaddr_un{}.sun_path); }

Listener::Listener(const std::string& place, int port) {
  if (place.starts_with(kUnix))
    listen_at_path(place.substr(kUnix.size()));
  else
    listen_at_host(place.substr(kTcp.size()), port);
}

void Listener::listen_at_path(const std::string& path) {
  const sockaddr_un address = protocol::unix_address(path);
  ::unlink(path.c_str());
  const int descriptor = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  socket_ = Socket(descriptor);
  // Nobody can connect between bind and listen, which is when the mode is set.
  if (descriptor < 0 ||
      ::bind(descriptor, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 ||
      ::chmod(path.c_str(), 0600) != 0 || ::listen(descriptor, SOMAXCONN) != 0)
    fail("cannot listen at " + path);
  address_ = std::string(kUnix) + path;
}

void Listener::listen_at_host(const std::string& host, int at_port) {
  const Addresses addresses = resolve(host, std::to_string(at_port));
  for (const addrinfo* at = addresses.get(); at; at = at->ai_next) {
    const int descriptor = ::socket(at->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    socket_ = Socket(descriptor);
    const int on = 1;  // what is left of an earlier generation's connections does not hold the port
    ::setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    if (descriptor < 0 || ::bind(descriptor, at->ai_addr, at->ai_addrlen) != 0 ||
        ::listen(descriptor, SOMAXCONN) != 0)
      continue;
    sockaddr_storage bound{};
    socklen_t size = sizeof bound;
    char port[NI_MAXSERV] = {};
    ::getsockname(descriptor, reinterpret_cast<sockaddr*>(&bound), &size);
    ::getnameinfo(reinterpret_cast<sockaddr*>(&bound), size, nullptr, 0, port, sizeof port, NI_NUMERICSERV);
    address_ = std::string(kTcp) + host + ":" + port;
    return;
  }
  fail("cannot listen at " + host + (at_port ? ":" + std::to_string(at_port) : ""));
}

Listener::~Listener() {
  if (address_.starts_with(kUnix)) ::unlink(address_.c_str() + kUnix.size());
}

Socket Listener::accept(Deadline deadline) {
  while (wait_for(socket_.descriptor_, POLLIN, deadline)) {
    const int descriptor = ::accept4(socket_.descriptor_, nullptr, nullptr, SOCK_CLOEXEC);
    if (descriptor < 0) continue;
    if (address_.starts_with(kTcp)) send_at_once(descriptor);
    return Socket(descriptor);
  }
  return {};
}

Socket connect_to(const std::string& address, Deadline deadline) {
  if (address.starts_with(kUnix)) {
    const std::string path = address.substr(kUnix.size());
    const sockaddr_un target = protocol::unix_address(path);
    const int descriptor = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    Socket socket(descriptor);
    if (!socket.open() ||
        ::connect(descriptor, reinterpret_cast<const sockaddr*>(&target), sizeof target) != 0)
      fail("cannot connect to " + path);
    return socket;
  }
  const auto colon = address.rfind(':');
  if (!address.starts_with(kTcp) || colon <= kTcp.size())
    throw Error(ErrorKind::usage, "'" + address + "' is not an address: expected unix:PATH or tcp:HOST:PORT");
  const std::string host = address.substr(kTcp.size(), colon - kTcp.size());
  const Addresses addresses = resolve(host, address.substr(colon + 1));
  for (const addrinfo* at = addresses.get(); at; at = at->ai_next) {
    const int descriptor = ::socket(at->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    Socket socket(descriptor);
    if (!socket.open() || !connect_before(deadline, descriptor, *at)) continue;
    send_at_once(descriptor);
    return socket;
  }
  if (errno == ETIMEDOUT) throw Error(ErrorKind::timeout, "nothing answered at " + address + " in time");
  fail("cannot connect to " + address);
}

bool leads_to_loopback(const std::string& host) try {
  const Addresses addresses = resolve(host, "9");
  for (const addrinfo* at = addresses.get(); at; at = at->ai_next) {
    if (at->ai_family == AF_INET) {
      const auto& v4 = *reinterpret_cast<const sockaddr_in*>(at->ai_addr);
      if (ntohl(v4.sin_addr.s_addr) >> 24 != IN_LOOPBACKNET) return false;
    } else if (at->ai_family == AF_INET6) {
      const auto& v6 = *reinterpret_cast<const sockaddr_in6*>(at->ai_addr);
      if (!IN6_IS_ADDR_LOOPBACK(&v6.sin6_addr)) return false;
    }
  }
  return true;
} catch (const Error&) {
  return false;
}

std::string address_towards(const std::string& host) {
  const Addresses addresses = resolve(host, "9");  // any port: a datagram socket that connects sends nothing
  for (const addrinfo* at = addresses.get(); at; at = at->ai_next) {
    const int descriptor = ::socket(at->ai_family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    const Socket socket(descriptor);
    if (!socket.open() || ::connect(descriptor, at->ai_addr, at->ai_addrlen) != 0) continue;
    sockaddr_storage own{};
    socklen_t size = sizeof own;
    char name[NI_MAXHOST] = {};
    ::getsockname(descriptor, reinterpret_cast<sockaddr*>(&own), &size);
    ::getnameinfo(reinterpret_cast<sockaddr*>(&own), size, name, sizeof name, nullptr, 0, NI_NUMERICHOST);
    return name;
  }
  fail("no network route to host '" + host + "'");
}

}  // namespace batchscope::replica
