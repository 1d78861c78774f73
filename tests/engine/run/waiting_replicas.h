// SPDX-License-Identifier: Apache-2.0
//
// Replicas of a test's own: processes that do nothing but wait for SIGTERM, and exit with 10 more than its
// value. What they were to be given is kept.
#pragma once

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <vector>

#include "launch/launcher.h"

namespace batchscope::run {

class WaitingReplicas final : public Launcher {
 public:
  std::vector<pid_t> launch(const std::vector<ReplicaOrder>& ordered) override {
    orders = ordered;
    std::vector<pid_t> pids;
    sigset_t terminate, before;
    sigemptyset(&terminate);
    sigaddset(&terminate, SIGTERM);
    pthread_sigmask(SIG_BLOCK, &terminate, &before);
    for (std::size_t i = 0; i < orders.size(); ++i) {
      const pid_t pid = fork();
      if (pid == 0) {
        siginfo_t info{};
        sigwaitinfo(&terminate, &info);
        _exit(10 + info.si_value.sival_int);
      }
      setpgid(pid, pid);
      pids.push_back(pid);
    }
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    return pids;
  }

  // The status of one that ends, as waitpid says it.
  static int status_of(pid_t pid) {
    int status = -1;
    waitpid(pid, &status, 0);
    return status;
  }
  static bool lives(pid_t pid) { return waitpid(pid, nullptr, WNOHANG) == 0; }

  std::vector<ReplicaOrder> orders;
};

}  // namespace batchscope::run
