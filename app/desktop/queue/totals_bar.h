// SPDX-License-Identifier: GPL-3.0-or-later
//
// How well the devices were shared, in four numbers, the pool's heartbeat, and its advice.
#pragma once

#include <QFrame>
#include <array>

#include "session/queue_snapshot.h"

class QLabel;

namespace batchscope::desktop {

class ElidedLabel;

class TotalsBar : public QFrame {
  Q_OBJECT
 public:
  explicit TotalsBar(QWidget* parent = nullptr);

  void setTotals(const QueueTotals& totals);
  void setHeartbeat(const std::optional<run::ProcessHeartbeat>& heartbeat);
  void setAdvice(const QString& sentence);

 private:
  std::array<QLabel*, 5> values_;
  ElidedLabel* advice_;
};

}  // namespace batchscope::desktop
