// SPDX-License-Identifier: GPL-3.0-or-later
//
// The page in place of empty charts for a program that reports nothing: it has ended without a step, or has
// run for a while without one. It says what that means and how to make a program report, and shows the log
// and the use of the devices.
#pragma once

#include <QTimer>
#include <QWidget>

class QLabel;

namespace batchscope::desktop {

class RunSession;
class ViewState;

class SilentPage : public QWidget {
  Q_OBJECT
 public:
  static constexpr double kPatience = 60;  // s of a generation without a step

  SilentPage(RunSession* session, ViewState* state, QWidget* parent = nullptr);

 Q_SIGNALS:
  void silenceChanged(bool isSilent);
  void guideRequested();

 private:
  void build();
  bool isSilent() const;
  void look();

  RunSession* session_;
  ViewState* state_;
  QLabel *title_ = nullptr, *text_ = nullptr;  // once it is needed
  QTimer timer_;
  bool wasSilent_ = false;
};

}  // namespace batchscope::desktop
