// SPDX-License-Identifier: Apache-2.0
/// \file
/// Threads that no signal interrupts: a process's signals are for the thread that trains, or that waits for
/// them.
#pragma once

#include <pthread.h>
#include <signal.h>

#include <thread>
#include <utility>

namespace batchscope::protocol {

/// Starts a thread that runs `function` with all signals blocked; the calling thread's mask stays as it is.
template <class Function>
std::thread quiet_thread(Function&& function) {
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  std::thread thread(std::forward<Function>(function));
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return thread;
}

}  // namespace batchscope::protocol
