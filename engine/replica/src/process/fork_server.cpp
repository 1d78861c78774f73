// SPDX-License-Identifier: Apache-2.0
#include "process/fork_server.h"

#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <iostream>
#include <string>
#include <utility>
#include <vector>

#include "batchscope/protocol/environment.h"
#include "batchscope/protocol/error.h"
#include "batchscope/protocol/fork_server.h"
#include "process/session.h"

// The ELF note by which a supervisor knows, without starting it, that a program can be a fork server. %note
// and not @note, which begins a comment on ARM.
asm(R"(
  .pushsection .note.batchscope, "a", %note
  .balign 4
  .long 2f - 1f, 0, 1
1: .asciz "BatchScope"
2: .balign 4
  .popsection
)");
static_assert(batchscope::protocol::kForkNoteName == "BatchScope" &&
              batchscope::protocol::kForkNoteType == 1);

namespace batchscope::replica {
namespace {

namespace fs = std::filesystem;

// Empty: nothing speaks against it.
std::string reason_not_to_fork() {
  const auto threads = std::distance(fs::directory_iterator("/proc/self/task"), fs::directory_iterator());
  if (threads != 1)
    return "it runs " + std::to_string(threads) + " threads when it calls init_process_group()";
  for (const auto& descriptor : fs::directory_iterator("/proc/self/fd")) {
    std::error_code closed;  // the iteration's own
    if (fs::read_symlink(descriptor, closed).string().starts_with("/dev/nvidia"))
      return "it uses a GPU before it calls init_process_group()";
  }
  return {};
}

void answer(int socket, const protocol::ForkAnswer& answer) {
  protocol::send_packet(socket, protocol::encode(answer));
}

// A session, an environment and a log of its own; tells the supervisor.
void become_replica(int socket, const protocol::ForkOrder& order) {
  const int log = open(order.log.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  if (log < 0) throw Error(ErrorKind::io, "cannot write " + order.log + ": " + std::strerror(errno));
  dup2(log, STDOUT_FILENO);
  dup2(log, STDERR_FILENO);
  close(log);
  setsid();
  clearenv();
  for (const auto& [name, value] : order.environment) setenv(name.c_str(), value.c_str(), 1);
  answer(socket, {getpid(), {}, order.number});
  close(socket);
}

// Forks twice, so that the second is the supervisor's child; the process between the two is gone when this
// returns in the server. True in the child.
bool fork_child() {
  const pid_t between = fork();
  if (between < 0) throw Error(ErrorKind::io, std::string("cannot fork: ") + std::strerror(errno));
  if (between == 0) {
    const pid_t child = fork();
    if (child != 0) _exit(child > 0 ? 0 : errno);
    return true;
  }
  int status = 0;
  while (waitpid(between, &status, 0) < 0 && errno == EINTR) {
  }
  if (status == 0) return false;
  throw Error(ErrorKind::io, std::string("cannot fork: ") +
                                 (WIFEXITED(status) ? std::strerror(WEXITSTATUS(status)) : "killed"));
}

// Ends a child that failed, and tells the supervisor why.
[[noreturn]] void end(int socket, const Error& why, int number) {
  try {
    answer(socket, {0, why.what(), number});
  } catch (const Error&) {
    // Nobody waits for this replica any more.
  }
  _exit(1);
}

// Runs in a child.
void become_replica_or_end(int socket, const protocol::ForkOrder& order) try {
  become_replica(socket, order);
} catch (const Error& error) {
  end(socket, error, order.number);
}

// Returns the number of replicas in the order's generation.
std::size_t replicas_of(const protocol::ForkOrder& order) {
  const auto found = order.environment.find(protocol::variable::kNumReplicas);
  return found == order.environment.end() ? 1 : std::strtoul(found->second.c_str(), nullptr, 10);
}

bool readable(std::vector<pollfd>& descriptors, int limit) {
  int count;
  while ((count = poll(descriptors.data(), descriptors.size(), limit)) < 0 && errno == EINTR) {
  }
  return count > 0;
}

// Children that are forked ahead, so that a restart need not wait for a fork. Each takes one order off the
// socket by itself, and so the server takes none while there are any. By a line of its own each says of how
// many replicas its generation is; one that closes without a word is gone.
class Spares {
 public:
  explicit Spares(int socket) : socket_(socket) {}

  std::size_t count() const { return lines_.size(); }

  // True in the child, once it is a replica.
  bool add() {
    std::array<int, 2> ends;
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0)
      throw Error(ErrorKind::io, std::string("cannot make a socket: ") + std::strerror(errno));
    try {
      if (fork_child()) {
        for (const pollfd& line : lines_) close(line.fd);
        close(ends[0]);
        take_order(ends[1]);
        return true;
      }
    } catch (const Error&) {
      close(ends[0]);
      close(ends[1]);
      throw;
    }
    close(ends[1]);
    lines_.push_back({ends[0], POLLIN, 0});
    return false;
  }

  // Waits for that many ms, or (-1) for as long as it takes, until one is no longer a spare. False where
  // the time is over; `largest` is the largest generation that any said.
  bool await_use(int limit, std::size_t& largest) {
    if (!readable(lines_, limit)) return false;
    std::erase_if(lines_, [&](const pollfd& line) {
      if (line.revents == 0) return false;
      std::size_t replicas = 0;
      if (read(line.fd, &replicas, sizeof replicas) == sizeof replicas) largest = std::max(largest, replicas);
      return close(line.fd) == 0;
    });
    return true;
  }

 private:
  void take_order(int line) const {
    int number = 0;
    try {
      const auto packet = protocol::receive_packet(socket_);
      if (!packet) _exit(0);
      const protocol::ForkOrder order = protocol::decode_fork_order(*packet);
      number = order.number;
      const std::size_t replicas = replicas_of(order);
      send(line, &replicas, sizeof replicas, MSG_NOSIGNAL);  // the server may be gone
      close(line);
      become_replica(socket_, order);
    } catch (const Error& error) {
      end(socket_, error, number);
    }
  }

  const int socket_;
  std::vector<pollfd> lines_;
};

// Spares are made when a generation stands and computes.
constexpr int kRest = 100;  // ms

// True in a replica.
bool serve_orders(int socket) {
  Spares spares(socket);
  std::vector<pollfd> orders = {{socket, POLLIN, 0}};
  std::size_t largest = 0;  // generation so far, for which there are to be spares
  for (;;) {
    const int limit = spares.count() < largest ? kRest : -1;
    if (spares.count() > 0) {
      if (spares.await_use(limit, largest)) continue;
    } else if (readable(orders, limit)) {
      const auto packet = protocol::receive_packet(socket);
      if (!packet) return false;
      int number = 0;
      try {
        const protocol::ForkOrder order = protocol::decode_fork_order(*packet);
        number = order.number;
        if (fork_child()) return become_replica_or_end(socket, order), true;
        largest = std::max(largest, replicas_of(order));
      } catch (const Error& error) {
        answer(socket, {0, error.what(), number});
      }
      continue;
    }
    try {
      while (spares.count() < largest)
        if (spares.add()) return true;
    } catch (const Error&) {
      largest = spares.count();  // the next order will say what is wrong
    }
  }
}

bool serve(int socket) {
  if (const std::string reason = reason_not_to_fork(); !reason.empty()) {
    answer(socket, {0, reason, 0});
    return false;
  }
  std::cout.flush();
  std::fflush(nullptr);  // or every replica would print it again
  answer(socket, {getpid(), {}, 0});
  return serve_orders(socket);
}

struct Offer {
  bool made = false;
};

}  // namespace

void offer_fork_server() { session().part<Offer>().made = true; }
bool offers_fork_server() { return session().part<Offer>().made; }

bool serve_forks() {
  const char* const text = std::getenv(protocol::variable::kForkServer);
  const int socket = text ? std::atoi(text) : 0;
  if (socket <= STDERR_FILENO) return false;
  fcntl(socket, F_SETFD, FD_CLOEXEC);
  try {
    if (serve(socket)) return true;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "batchscope: the fork server ends: %s\n", error.what());
  }
  _exit(0);
}

}  // namespace batchscope::replica
