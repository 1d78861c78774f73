// SPDX-License-Identifier: Apache-2.0
#include "launch/fork_server.h"

#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "batchscope/protocol/environment.h"
#include "batchscope/protocol/error.h"
#include "batchscope/protocol/fork_server.h"

namespace batchscope::run {
namespace {

constexpr int kItsDescriptor = 3;
constexpr char kEnded[] = "it ended";

// Waits until one of these events is there, and returns those that are.
short await(int socket, short events, std::chrono::milliseconds limit) {
  pollfd awaited{socket, events, 0};
  const auto count = TEMP_FAILURE_RETRY(poll(&awaited, 1, static_cast<int>(limit.count())));
  if (count <= 0) throw Error(ErrorKind::timeout, "the fork server does not answer");
  return awaited.revents;
}

protocol::ForkAnswer receive(int socket) {
  const auto packet = protocol::receive_packet(socket);
  if (!packet) return {0, kEnded};
  return protocol::decode_fork_answer(*packet);
}

void send_packet(int socket, const std::string& packet) {
  if (TEMP_FAILURE_RETRY(::send(socket, packet.data(), packet.size(), MSG_NOSIGNAL)) < 0)
    throw Error(ErrorKind::io, std::string("the fork server's socket: cannot send: ") + std::strerror(errno));
}

}  // namespace

ForkServer::ForkServer(const ReplicaOrder& program) {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0)
    throw Error(ErrorKind::io, std::string("cannot make a fork server's socket: ") + std::strerror(errno));
  socket_ = ends[0];
  ReplicaOrder order = program;
  order.environment[protocol::variable::kForkServer] = std::to_string(kItsDescriptor);
  // Pools would start with the libraries that hold them, and a process with threads cannot be forked.
  // Replicas set theirs by calls.
  for (const char* name : {"OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"})
    order.environment[name] = "1";
  try {
    pid_ = spawn(order, {{ends[1], kItsDescriptor}});
  } catch (const Error&) {
    close(ends[0]);
    close(ends[1]);
    throw;
  }
  close(ends[1]);
  notifier_ = std::make_unique<QSocketNotifier>(socket_, QSocketNotifier::Read);
  QObject::connect(notifier_.get(), &QSocketNotifier::activated, notifier_.get(), [this] { take_answer(); });
}

ForkServer::~ForkServer() {
  notifier_.reset();
  close(socket_);
}

void ForkServer::take_answer() {
  notifier_->setEnabled(false);
  notifier_.release()->deleteLater();  // we are in its signal
  std::string refusal;
  try {
    await(socket_, POLLIN, {});  // who inherited its end may hold it open
    const protocol::ForkAnswer answer = receive(socket_);
    refusal = answer.error;
    answers_by_number_ = answer.number >= 0;
  } catch (const Error& error) {
    refusal = error.what();
  }
  ready_ = refusal.empty();
  const auto tell = std::move(on_answer);  // it may end us
  tell(refusal);
}

// Replicas become what they are side by side: an order does not wait for the answer to the one before. A
// failure is thrown when those that were ordered have answered, so that they can be killed.
std::vector<pid_t> ForkServer::fork(const std::vector<ReplicaOrder>& orders,
                                    std::chrono::milliseconds limit) {
  std::vector<pid_t> pids(orders.size());
  std::size_t sent = 0, answered = 0;
  std::string failure;
  try {
    while (answered < sent || (sent < orders.size() && failure.empty())) {
      const bool sends = sent < orders.size() && failure.empty() && (answers_by_number_ || answered == sent);
      const short events = await(socket_, sends ? POLLIN | POLLOUT : POLLIN, limit);
      if (events & ~POLLOUT) {
        const protocol::ForkAnswer answer = receive(socket_);
        const auto number = answers_by_number_ ? static_cast<std::size_t>(answer.number) : answered;
        ++answered;
        if (answer.error.empty() && number < sent)
          pids[number] = static_cast<pid_t>(answer.pid);
        else if (failure.empty())
          failure = answer.error.empty() ? "its answer does not fit the question" : answer.error;
        if (answer.error == kEnded) break;
      } else {
        const ReplicaOrder& order = orders[sent];
        send_packet(socket_, protocol::encode(protocol::ForkOrder{order.environment, order.log.string(),
                                                                  static_cast<int>(sent)}));
        ++sent;
      }
    }
    if (!failure.empty()) throw Error(ErrorKind::io, "the fork server could not fork: " + failure);
  } catch (const Error&) {
    for (const pid_t pid : pids)
      if (pid > 0) kill(-pid, SIGKILL);  // reaped like any other child
    throw;
  }
  return pids;
}

}  // namespace batchscope::run
