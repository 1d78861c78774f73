// SPDX-License-Identifier: Apache-2.0
#include "terminal/interruption.h"

#include <array>
#include <csignal>

namespace batchscope::cli {
namespace {

constexpr std::array kSignals{SIGINT, SIGTERM, SIGHUP};

volatile std::sig_atomic_t raised = 0;
std::array<struct sigaction, kSignals.size()> before;

void keepSignal(int signal) { raised = signal; }

}  // namespace

InterruptionGuard::InterruptionGuard() {
  raised = 0;
  struct sigaction action {};
  action.sa_handler = keepSignal;
  action.sa_flags = static_cast<int>(SA_RESTART | SA_RESETHAND);
  for (std::size_t i = 0; i < kSignals.size(); ++i) {
    sigaction(kSignals[i], nullptr, &before[i]);
    if (before[i].sa_handler != SIG_IGN) sigaction(kSignals[i], &action, nullptr);
  }
}

InterruptionGuard::~InterruptionGuard() {
  for (std::size_t i = 0; i < kSignals.size(); ++i) sigaction(kSignals[i], &before[i], nullptr);
}

void throwIfInterrupted() {
  if (raised != 0) throw Interrupted{raised};
}

int dieOf(const Interrupted& interrupted) {
  std::signal(interrupted.signal, SIG_DFL);
  std::raise(interrupted.signal);
  return 128 + interrupted.signal;
}

}  // namespace batchscope::cli
