// SPDX-License-Identifier: GPL-3.0-or-later
//
// A run that has not begun: why it waits, how many runs are before it, and what can be done about it; for a
// run on a cluster, what the cluster reports. Once the run has devices, its charts take this place.
#pragma once

#include <QWidget>
#include <array>

class QLabel;
class QPushButton;

namespace batchscope::storage {
struct Origin;
}

namespace batchscope::desktop {

class ElidedLabel;
class QueueSession;
class RunSession;

class WaitingPage : public QWidget {
  Q_OBJECT
 public:
  WaitingPage(RunSession* run, QueueSession* queue, QWidget* parent = nullptr);

 Q_SIGNALS:
  void queueRequested();

 protected:
  void showEvent(QShowEvent* event) override;

 private:
  void refresh();
  void refreshElsewhere(const storage::Origin& origin);
  void holdOrRelease();
  void cancel();

  RunSession* run_;
  QueueSession* queue_;
  ElidedLabel* name_;
  QLabel* chip_;
  QLabel* why_;
  std::array<QLabel*, 6> names_, values_;
  QPushButton* queueButton_;
  QPushButton* hold_;
};

}  // namespace batchscope::desktop
