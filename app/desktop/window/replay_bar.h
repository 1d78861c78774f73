// SPDX-License-Identifier: GPL-3.0-or-later
//
// Plays a recorded run as if it were live: a play head moves over the run at a chosen speed, or where a
// person drags it, and charts, values and events end there. Nothing of the run or of the view is changed by
// it.
#pragma once

#include <QElapsedTimer>
#include <QTimer>
#include <QWidget>
#include <vector>

class QAction;
class QComboBox;
class QLabel;
class QSlider;

namespace batchscope::desktop {

class RunSession;
class ViewState;

class ReplayBar : public QWidget {
  Q_OBJECT
 public:
  // It begins only while one of the pages that show it is visible.
  ReplayBar(RunSession* session, ViewState* view, std::vector<QWidget*> pages, QWidget* parent = nullptr);

  QAction* replayAction() const { return replay_; }  // begins it and ends it
  QAction* playAction() const { return play_; }      // or holds it
  QSlider* slider() const { return slider_; }
  QComboBox* speeds() const { return speed_; }

 private:
  double length() const;  // of the run, s
  double speed() const;   // s of the run a second
  void setReplaying(bool isReplaying);
  void setPlaying(bool isPlaying);
  void setHead(double seconds);
  void advance();

  RunSession* session_;
  ViewState* view_;
  std::vector<QWidget*> pages_;
  QAction *replay_, *play_;
  QSlider* slider_;
  QLabel* time_;
  QComboBox* speed_;
  QTimer timer_;
  QElapsedTimer sinceLast_;
};

}  // namespace batchscope::desktop
