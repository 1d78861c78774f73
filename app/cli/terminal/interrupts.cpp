// SPDX-License-Identifier: Apache-2.0
#include "terminal/interrupts.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "batchscope/protocol/error.h"

namespace batchscope::cli {
namespace {

int writeEnd = -1;

void passSignal(int signal) {
  const int savedErrno = errno;
  const auto byte = static_cast<char>(signal);
  [[maybe_unused]] const auto written = ::write(writeEnd, &byte, 1);
  errno = savedErrno;
}

}  // namespace

Interrupts::Interrupts(std::vector<int> signals) : signals_(std::move(signals)), before_(signals_.size()) {
  if (::pipe2(pipe_, O_CLOEXEC | O_NONBLOCK) != 0)
    throw Error(ErrorKind::io, tr("cannot make a pipe for signals: %1")
                                   .arg(QString::fromLocal8Bit(std::strerror(errno)))
                                   .toStdString());
  writeEnd = pipe_[1];
  notifier_ = new QSocketNotifier(pipe_[0], QSocketNotifier::Read, this);
  connect(notifier_, &QSocketNotifier::activated, this, [this] {
    for (char byte = 0; ::read(pipe_[0], &byte, 1) == 1;) Q_EMIT raised(byte);
  });
  struct sigaction action {};
  action.sa_handler = passSignal;
  action.sa_flags = SA_RESTART;
  for (std::size_t i = 0; i < signals_.size(); ++i) sigaction(signals_[i], &action, &before_[i]);
}

Interrupts::~Interrupts() {
  for (std::size_t i = 0; i < signals_.size(); ++i) sigaction(signals_[i], &before_[i], nullptr);
  writeEnd = -1;
  delete notifier_;
  ::close(pipe_[0]);
  ::close(pipe_[1]);
}

}  // namespace batchscope::cli
