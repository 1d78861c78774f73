// SPDX-License-Identifier: Apache-2.0
#include "process/signals.h"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <utility>

#include "batchscope/protocol/environment.h"

namespace batchscope::replica {
namespace {

// Not parts of the session: a signal handler may touch nothing but lock-free atomics.
static_assert(std::atomic<std::int64_t>::is_always_lock_free);
std::atomic<std::int64_t> requested{0};
volatile std::sig_atomic_t interrupted = 0;

void on_signal(int signal, siginfo_t* info, void*) {
  if (signal == SIGINT && std::exchange(interrupted, 1)) ::_exit(130);
  const bool restart =
      signal == SIGTERM && info->si_code == SI_QUEUE && info->si_value.sival_int == protocol::kRestartFollows;
  raise_request(signal == SIGUSR1 ? ExitRequest::checkpoint
                : restart         ? ExitRequest::checkpoint_and_restart
                                  : ExitRequest::checkpoint_and_exit);
}

}  // namespace

void catch_signals() {
  struct sigaction action {};
  action.sa_sigaction = on_signal;
  action.sa_flags = SA_RESTART | SA_SIGINFO;
  sigemptyset(&action.sa_mask);
  for (const int signal : {SIGTERM, SIGINT, SIGUSR1}) ::sigaction(signal, &action, nullptr);
  // A file that may not grow any more (ulimit -f) is a full disk, not the end.
  ::signal(SIGXFSZ, SIG_IGN);
}

ExitRequest pending_request() { return static_cast<ExitRequest>(requested.load(std::memory_order_relaxed)); }

void raise_request(ExitRequest request) {
  std::int64_t current = requested.load();
  while (current < static_cast<std::int64_t>(request) &&
         !requested.compare_exchange_weak(current, static_cast<std::int64_t>(request))) {
  }
}

void clear_request(ExitRequest up_to) {
  std::int64_t current = requested.load();
  while (current != 0 && current <= static_cast<std::int64_t>(up_to) &&
         !requested.compare_exchange_weak(current, 0)) {
  }
}

}  // namespace batchscope::replica
