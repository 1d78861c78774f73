// SPDX-License-Identifier: Apache-2.0
//
// SIGINT and SIGTERM, or other signals, as a Qt signal: the handler writes a byte into a pipe, the event loop
// reads it. A handler rather than a blocked mask and a signalfd, because handlers are not inherited by the
// supervisor we start.
#pragma once

#include <QObject>
#include <QSocketNotifier>
#include <csignal>
#include <vector>

namespace batchscope::cli {

// One at a time in a process; its end restores the handlers that were there before.
class Interrupts : public QObject {
  Q_OBJECT

 public:
  explicit Interrupts(std::vector<int> signals = {SIGINT, SIGTERM});
  ~Interrupts() override;

 Q_SIGNALS:
  void raised(int signal);

 private:
  std::vector<int> signals_;
  std::vector<struct sigaction> before_;  // of each
  int pipe_[2];
  QSocketNotifier* notifier_;
};

}  // namespace batchscope::cli
