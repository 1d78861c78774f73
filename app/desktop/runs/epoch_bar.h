// SPDX-License-Identifier: GPL-3.0-or-later
//
// How far the run is: a thin bar with a notch at the end of every epoch, where they are few enough to be told
// apart.
#pragma once

#include <QWidget>

namespace batchscope::desktop {

class EpochBar : public QWidget {
  Q_OBJECT
 public:
  explicit EpochBar(QWidget* parent = nullptr);
  void setProgress(double fraction, int epochs);
  double fraction() const { return fraction_; }

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  double fraction_ = 0;
  int epochs_ = 0;
};

}  // namespace batchscope::desktop
