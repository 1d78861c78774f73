// SPDX-License-Identifier: Apache-2.0
#include "system/process_signals.h"

#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>

#include "batchscope/protocol/error.h"

namespace batchscope::run {

ProcessSignals::ProcessSignals() {
  sigset_t ours;
  sigemptyset(&ours);
  for (const int number : {SIGCHLD, SIGTERM, SIGINT}) sigaddset(&ours, number);
  pthread_sigmask(SIG_BLOCK, &ours, &before_);
  fd_ = signalfd(-1, &ours, SFD_NONBLOCK | SFD_CLOEXEC);
  if (fd_ < 0) throw Error(ErrorKind::io, std::string("cannot listen to signals: ") + std::strerror(errno));
  notifier_ = std::make_unique<QSocketNotifier>(fd_, QSocketNotifier::Read);
  QObject::connect(notifier_.get(), &QSocketNotifier::activated, notifier_.get(), [this] { read(); });
}

ProcessSignals::~ProcessSignals() {
  notifier_.reset();
  close(fd_);
  pthread_sigmask(SIG_SETMASK, &before_, nullptr);
}

void ProcessSignals::read() {
  signalfd_siginfo info;
  bool child = false, terminate = false;
  while (::read(fd_, &info, sizeof info) == static_cast<ssize_t>(sizeof info))
    (info.ssi_signo == SIGCHLD ? child : terminate) = true;
  if (child) reap();
  if (terminate) on_terminate();
}

// Several exits may be behind one SIGCHLD.
void ProcessSignals::reap() {
  for (;;) {
    siginfo_t info{};
    if (waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) != 0 || info.si_pid == 0) return;
    kill(-info.si_pid, SIGKILL);
    int status = 0;
    if (waitpid(info.si_pid, &status, 0) == info.si_pid) on_exit(info.si_pid, status);
  }
}

}  // namespace batchscope::run
