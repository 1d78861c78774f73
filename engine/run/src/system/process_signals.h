// SPDX-License-Identifier: Apache-2.0
//
// Signals as events: SIGCHLD, SIGTERM and SIGINT are blocked and read from a signalfd by the event loop.
#pragma once

#include <signal.h>

#include <QSocketNotifier>
#include <functional>
#include <memory>

namespace batchscope::run {

class ProcessSignals {
 public:
  ProcessSignals();
  ~ProcessSignals();  // with the signal mask as it was
  ProcessSignals(const ProcessSignals&) = delete;
  ProcessSignals& operator=(const ProcessSignals&) = delete;

  std::function<void()> on_terminate;
  // Called with the status of waitpid. Before the process is reaped, while its id cannot be used again,
  // whatever else is left in its process group is killed: a replica's helpers do not outlive it.
  std::function<void(pid_t pid, int status)> on_exit;

 private:
  void read();
  void reap();

  sigset_t before_;
  int fd_ = -1;
  std::unique_ptr<QSocketNotifier> notifier_;
};

}  // namespace batchscope::run
