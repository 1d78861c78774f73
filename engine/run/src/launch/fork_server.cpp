// SPDX-License-Identifier: Apache-2.0
#include "launch/fork_server.h"

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "batchscope/protocol/environment.h"
#include "batchscope/protocol/error.h"
#include "batchscope/protocol/fork_server.h"
#include "batchscope/protocol/time_outs.h"

namespace batchscope::run {
namespace {

constexpr int kItsDescriptor = 3;
constexpr int kForkLimit =
    std::chrono::duration_cast<std::chrono::milliseconds>(protocol::time_out::kFork).count();

protocol::ForkAnswer receive(int socket, int limit) {
  pollfd answered{socket, POLLIN, 0};
  int count;
  while ((count = poll(&answered, 1, limit)) < 0 && errno == EINTR) {
  }
  if (count <= 0) throw Error(ErrorKind::timeout, "the fork server does not answer");
  const auto packet = protocol::receive_packet(socket);
  if (!packet) return {0, "it ended"};
  return protocol::decode_fork_answer(*packet);
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
    refusal = receive(socket_, 0).error;
  } catch (const Error& error) {
    refusal = error.what();
  }
  ready_ = refusal.empty();
  const auto tell = std::move(on_answer);  // it may end us
  tell(refusal);
}

pid_t ForkServer::fork(const ReplicaOrder& order) {
  protocol::send_packet(socket_, protocol::encode(protocol::ForkOrder{order.environment, order.log}));
  const protocol::ForkAnswer answer = receive(socket_, kForkLimit);
  if (!answer.error.empty()) throw Error(ErrorKind::io, "the fork server could not fork: " + answer.error);
  return static_cast<pid_t>(answer.pid);
}

}  // namespace batchscope::run
