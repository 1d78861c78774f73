// SPDX-License-Identifier: Apache-2.0
#include "process/fork_server.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <iostream>
#include <string>

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
  answer(socket, {getpid(), {}});
  close(socket);
}

// True in the replica. The process between the two forks is gone when this returns in the server.
bool fork_replica(int socket, const protocol::ForkOrder& order) {
  const pid_t between = fork();
  if (between < 0) throw Error(ErrorKind::io, std::string("cannot fork: ") + std::strerror(errno));
  if (between > 0) {
    while (waitpid(between, nullptr, 0) < 0 && errno == EINTR) {
    }
    return false;
  }
  try {
    const pid_t replica = fork();
    if (replica < 0) throw Error(ErrorKind::io, std::string("cannot fork: ") + std::strerror(errno));
    if (replica > 0) _exit(0);
    become_replica(socket, order);
    return true;
  } catch (const Error& error) {
    try {
      answer(socket, {0, error.what()});
    } catch (const Error&) {
      // Nobody waits for this replica any more.
    }
    _exit(1);
  }
}

bool serve(int socket) {
  if (const std::string reason = reason_not_to_fork(); !reason.empty()) {
    answer(socket, {0, reason});
    return false;
  }
  std::cout.flush();
  std::fflush(nullptr);  // or every replica would print it again
  answer(socket, {getpid(), {}});
  while (const auto packet = protocol::receive_packet(socket)) {
    try {
      if (fork_replica(socket, protocol::decode_fork_order(*packet))) return true;
    } catch (const Error& error) {
      answer(socket, {0, error.what()});
    }
  }
  return false;
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
