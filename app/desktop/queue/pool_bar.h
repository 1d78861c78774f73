// SPDX-License-Identifier: GPL-3.0-or-later
//
// The pool's settings: the policy by which it shares the devices, the number of devices that it may give
// away, and whether it is paused or draining.
#pragma once

#include <QWidget>
#include <vector>

#include "batchscope/common/pool_text.h"
#include "batchscope/protocol/pool.h"

class QLabel;
class QPushButton;
class QSpinBox;

namespace batchscope::desktop {

class Segments;

class PoolBar : public QWidget {
  Q_OBJECT
 public:
  explicit PoolBar(QWidget* parent = nullptr);

  // Nothing can be set before.
  void setSettings(const protocol::PoolSettings& settings);
  void setCounts(std::size_t holding, std::size_t waiting);

 Q_SIGNALS:
  void policyChosen(const QString& name);
  void limitChosen(int devices);  // 0: none
  void pauseChosen(bool isPaused);
  void drainChosen(bool isDraining);
  void newRunRequested();

 private:
  void chooseLimit();

  const std::vector<common::PolicyText> policies_ = common::usualPolicies();
  QLabel* count_;
  QLabel* chip_;
  QLabel* policy_name_;  // with that of a policy which the window does not offer
  Segments* policy_;
  QPushButton *pause_, *drain_;
  QSpinBox* devices_;
  int limit_ = 0;  // of the devices, as it was told last
};

}  // namespace batchscope::desktop
