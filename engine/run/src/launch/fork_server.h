// SPDX-License-Identifier: Apache-2.0
//
// The supervisor's end of a fork server (protocol's fork_server.h): the training program, started once, which
// forks replicas when it is told to. They become this process's own children, as executed ones are.
#pragma once

#include <sys/types.h>

#include <QSocketNotifier>
#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "batchscope/protocol/time_outs.h"
#include "launch/launcher.h"

namespace batchscope::run {

class ForkServer {
 public:
  // Starts the program, with this log. Throws Error.
  explicit ForkServer(const ReplicaOrder& program);
  // Closes the line, at which the server leaves by itself.
  ~ForkServer();
  ForkServer(const ForkServer&) = delete;
  ForkServer& operator=(const ForkServer&) = delete;

  // Once, from the event loop: it is ready (an empty text), or why it never will be. This object may be
  // destroyed within.
  std::function<void(const std::string& refusal)> on_answer;

  pid_t pid() const { return pid_; }
  bool ready() const { return ready_; }
  // Leads to on_answer at once: for a process that has ended before its answer was seen.
  void take_answer();

  // Returns the replicas' process ids, in the order of the orders, when each leads its session. Blocks for
  // the few milliseconds that forks take, at most `limit` without an answer. Throws Error; then none of the
  // replicas is left running, and the server may not be used again.
  std::vector<pid_t> fork(const std::vector<ReplicaOrder>& orders,
                          std::chrono::milliseconds limit = protocol::time_out::kFork);

 private:
  pid_t pid_ = 0;
  int socket_ = -1;
  bool ready_ = false;
  bool answers_by_number_ = false;  // else it gets an order when it has answered the one before
  std::unique_ptr<QSocketNotifier> notifier_;
};

}  // namespace batchscope::run
