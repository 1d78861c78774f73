// SPDX-License-Identifier: GPL-3.0-or-later
//
// The control at the right: the number of replicas or auto; the one filled button, which restarts on them,
// with its prediction; the restart as it happens; checkpoint, pause or resume, and stop. The panel asks;
// RunSession and Launcher act.
#pragma once

#include <QFrame>
#include <optional>

#include "batchscope/protocol/telemetry.h"
#include "batchscope/run/machine.h"

class QAction;
class QCheckBox;
class QLabel;
class QPushButton;
class QToolButton;

namespace batchscope::desktop {

class GoodputCurve;
class Readout;
class ReplicaButtons;
class RestartSteps;
class RunSession;
class ViewState;

class ControlPanel : public QFrame {
  Q_OBJECT
 public:
  ControlPanel(RunSession* session, ViewState* state, run::Machine machine, QWidget* parent = nullptr);

  ReplicaButtons* replicas() const { return replicas_; }
  QCheckBox* autoSwitch() const { return auto_; }
  QPushButton* restartButton() const { return restart_; }
  QPushButton* checkpointButton() const { return checkpoint_; }
  QPushButton* pauseButton() const { return pause_; }
  QPushButton* stopButton() const { return stop_; }

  // Sets the actions that open the explorer, beside the small curve, and why it scaled, beside the last
  // restart.
  void setPages(QAction* explorer, QAction* scaling);

 Q_SIGNALS:
  // Emitted to resume a run without a supervisor; 0: on as many replicas as before.
  void resumeRequested(int replicas);
  void explorerRequested();
  // Emitted when the restart button's text or state changed.
  void restartUpdated();

 private:
  void opened();
  void updateDevices();
  void updateStatus();
  void updateRestart();
  void updateModel();
  void updatePrediction();
  QString predictionText() const;
  void switchAuto(bool on);
  void restart();
  void pauseOrResume();
  void resume(std::optional<int> replicas);  // none: as before
  void confirmStop();
  void stopRun(const std::string& id, bool isElsewhere);

  RunSession* session_;
  const run::Machine machine_;
  ReplicaButtons* replicas_;
  QCheckBox* auto_;
  QPushButton* restart_;
  QLabel* prediction_;
  QLabel* restartTitle_;
  RestartSteps* steps_;
  QLabel* forecast_;
  QPushButton* checkpoint_;
  QPushButton* pause_;
  QPushButton* stop_;
  QLabel* curveTitle_;
  QToolButton* explore_;
  QToolButton* why_;
  GoodputCurve* curve_;
  Readout* readout_;
  int present_ = 0;
};

}  // namespace batchscope::desktop
