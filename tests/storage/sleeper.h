// SPDX-License-Identifier: Apache-2.0
//
// Other processes that use the store, and may be killed.
#pragma once

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <utility>

namespace batchscope::storage::test {

// Calls `body` in a process of its own, which then waits until it is killed.
class Sleeper {
 public:
  template <class Body>
  explicit Sleeper(Body body) {
    int ready[2];
    if (pipe(ready) != 0) std::abort();
    pid_ = fork();
    if (pid_ == 0) {
      const char result = body() ? 'y' : 'n';
      if (::write(ready[1], &result, 1) != 1) _exit(1);
      for (;;) pause();
    }
    if (::read(ready[0], &answer_, 1) != 1) std::abort();
    ::close(ready[0]);
    ::close(ready[1]);
  }
  ~Sleeper() { kill(); }

  bool answer() const { return answer_ == 'y'; }
  pid_t pid() const { return pid_; }
  void kill() {
    if (pid_ <= 0) return;
    ::kill(pid_, SIGKILL);
    waitpid(std::exchange(pid_, 0), nullptr, 0);
  }

 private:
  pid_t pid_ = 0;
  char answer_ = 0;
};

// Calls `body` in a process of its own, which is well when the body ends without an exception.
class Worker {
 public:
  template <class Body>
  explicit Worker(Body body) : pid_(fork()) {
    if (pid_ != 0) return;
    try {
      body();
      _exit(0);
    } catch (const std::exception& error) {
      std::fprintf(stderr, "process %d: %s\n", getpid(), error.what());
      _exit(1);
    }
  }
  bool is_well() const {
    int status = 0;
    return waitpid(pid_, &status, 0) == pid_ && WIFEXITED(status) && WEXITSTATUS(status) == 0;
  }

 private:
  pid_t pid_;
};

}  // namespace batchscope::storage::test
