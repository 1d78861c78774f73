// SPDX-License-Identifier: GPL-3.0-or-later
//
// The bar above a sweep: the choice of the sweep, its state, and the buttons to control it.
#pragma once

#include <QWidget>

#include "session/sweep_snapshot.h"

class QComboBox;
class QLabel;
class QPushButton;

namespace batchscope::desktop {

class SweepBar : public QWidget {
  Q_OBJECT
 public:
  explicit SweepBar(QWidget* parent = nullptr);

  void setSnapshot(const SweepSnapshot& snapshot);

 Q_SIGNALS:
  void chosen(const QString& name);
  void pauseRequested();
  void resumeRequested();
  void stopRequested();
  void moreRequested();
  void bestRequested();
  void newRequested();

 private:
  QComboBox* sweeps_;
  QLabel* chip_;
  QPushButton *pause_, *stop_, *more_, *best_, *new_;
  bool resumes_ = false;  // the first button
};

}  // namespace batchscope::desktop
