// SPDX-License-Identifier: Apache-2.0
//
// Stream sockets with deadlines: a Unix socket between the replicas of one machine, TCP between machines.
// Nothing here blocks past its deadline; what came of it is returned, since only the caller can name the
// peer.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace batchscope::replica {

using Deadline = std::chrono::steady_clock::time_point;

enum class Transfer { done, closed, timed_out };

class Socket {
 public:
  Socket() = default;
  explicit Socket(int descriptor) : descriptor_(descriptor) {}
  Socket(Socket&& other) noexcept;
  Socket& operator=(Socket&& other) noexcept;
  ~Socket();

  bool open() const { return descriptor_ >= 0; }
  void close();

  Transfer send(std::string_view bytes, Deadline deadline);
  Transfer receive(char* bytes, std::size_t count, Deadline deadline);

 private:
  friend class Listener;
  friend std::vector<bool> wait_for_any(const std::vector<const Socket*>& sockets, Deadline deadline);
  int descriptor_ = -1;
};

// Waits until there is something to read, or to accept, at one of them, and returns at which; nothing where
// the deadline passed first.
std::vector<bool> wait_for_any(const std::vector<const Socket*>& sockets, Deadline deadline);

// Waits for connections at an address that it tells: "unix:PATH", where only this user may connect, or
// "tcp:HOST:PORT".
class Listener {
 public:
  // "unix:PATH", in the place of what a dead process left there, or "tcp:HOST", at this port or any that is
  // free. Throws Error(io).
  explicit Listener(const std::string& place, int port = 0);
  ~Listener();
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;

  const std::string& address() const { return address_; }
  // A closed socket when nobody came before the deadline.
  Socket accept(Deadline deadline);
  // For wait_for_any.
  const Socket& socket() const { return socket_; }

 private:
  void listen_at_path(const std::string& path);
  void listen_at_host(const std::string& host, int port);

  Socket socket_;
  std::string address_;
};

// Whether the path is short enough to be a Unix socket's.
bool fits_unix_socket(const std::string& path);

// Throws Error(io) when nobody listens there, Error(timeout) when nothing answers before the deadline,
// Error(usage) for an address of another form.
Socket connect_to(const std::string& address, Deadline deadline);

// Whether the host, by its name or address, is this machine by loopback alone, as one's own name often is in
// /etc/hosts. False where it leads nowhere.
bool leads_to_loopback(const std::string& host);

// The address of this machine on the way to that host. Throws Error(io) when there is no way.
std::string address_towards(const std::string& host);

}  // namespace batchscope::replica
