// SPDX-License-Identifier: GPL-3.0-or-later
//
// The progress of a sweep, in five numbers and a bar.
#pragma once

#include <QFrame>
#include <array>

#include "batchscope/sweep/sweeps.h"

class QLabel;
class QProgressBar;

namespace batchscope::desktop {

class ElidedLabel;

class SweepTotals : public QFrame {
  Q_OBJECT
 public:
  explicit SweepTotals(QWidget* parent = nullptr);

  void setView(const sweep::SweepView& view);

 private:
  std::array<QLabel*, 5> values_;
  ElidedLabel* message_;
  QProgressBar* progress_;
};

}  // namespace batchscope::desktop
