// SPDX-License-Identifier: GPL-3.0-or-later
//
// The parts of a restart, one below the other. While it happens they show which are done and which one runs,
// with the seconds so far; afterwards how long each took.
#pragma once

#include <QElapsedTimer>
#include <QTimer>
#include <QWidget>
#include <map>
#include <string>
#include <vector>

#include "batchscope/common/restart_text.h"

namespace batchscope::desktop {

class RestartSteps : public QWidget {
  Q_OBJECT
 public:
  explicit RestartSteps(QWidget* parent = nullptr);

  // Shows the restart that is under way; its seconds are counted on between two statuses.
  void showRunning(const protocol::RunStatus& status);
  void showDone(const std::map<std::string, double>& parts);

  QSize sizeHint() const override;

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  void countOn();

  protocol::RunStatus status_;
  QElapsedTimer since_;
  QTimer tick_;
  std::vector<common::RestartStep> steps_ = common::restartSteps({});
};

}  // namespace batchscope::desktop
