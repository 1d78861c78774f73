// SPDX-License-Identifier: GPL-3.0-or-later
//
// The parts of a restart, one below the other. While it happens they show which are done and which one runs,
// with the seconds so far; afterwards how long each took.
#pragma once

#include <QElapsedTimer>
#include <QTimer>
#include <QWidget>
#include <map>
#include <optional>
#include <string>

namespace batchscope::desktop {

class RestartSteps : public QWidget {
  Q_OBJECT
 public:
  explicit RestartSteps(QWidget* parent = nullptr);

  // `phase` as in RunStatus, `seconds` since the restart began; counted on between two statuses.
  void showRunning(const std::string& phase, double seconds);
  void showDone(const std::map<std::string, double>& parts);

  QSize sizeHint() const override;

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  std::optional<std::size_t> running_;
  double seconds_ = 0;
  QElapsedTimer since_;
  QTimer tick_;
  std::map<std::string, double> parts_;
};

}  // namespace batchscope::desktop
