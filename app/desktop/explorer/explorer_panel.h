// SPDX-License-Identifier: GPL-3.0-or-later
//
// The goodput explorer: what the fitted model says of a run, live or recorded. Throughput, efficiency and
// goodput over batch size for a number of replicas that a slider chooses, with what changes against now and
// a button that restarts on it (the control panel's own); the learning-rate factors that the scaling rules
// would have given; the noise scale beside the batch size; measured against predicted step times.
#pragma once

#include <QTimer>
#include <QWidget>
#include <array>

#include "batchscope/protocol/telemetry.h"

class QLabel;
class QPushButton;
class QSlider;
class QTableView;

namespace batchscope::desktop {

class ChartCard;
class ControlPanel;
class GoodputCurve;
class RunSession;
class StepTimeModel;
class StepTimePlot;
class ViewState;

class ExplorerPanel : public QWidget {
  Q_OBJECT
 public:
  ExplorerPanel(RunSession* session, ViewState* state, ControlPanel* control, QWidget* parent = nullptr);

  QSlider* slider() const { return slider_; }
  QPushButton* applyButton() const { return apply_; }
  GoodputCurve* curve() const { return curve_; }
  StepTimeModel* stepTimes() const { return times_; }
  const std::array<ChartCard*, 2>& cards() const { return cards_; }

  // The series are there, or another run's.
  void sessionOpened();
  // New samples are in the model.
  void refreshSamples();

 protected:
  void showEvent(QShowEvent* event) override;

 private:
  QWidget* whatIfCard();
  QWidget* stepTimeCard();
  void refresh();
  void refreshWhatIf(const protocol::Model& model, int replicas);
  void refreshStepTimes();
  void updateApply();

  RunSession* session_;
  ControlPanel* control_;
  GoodputCurve* curve_;
  QSlider* slider_;
  QLabel* count_;
  QLabel* flag_;
  QPushButton* apply_;
  std::array<std::array<QLabel*, 2>, 6> values_{};  // now, then
  std::array<ChartCard*, 2> cards_{};
  QLabel* error_;
  StepTimePlot* plot_;
  QTableView* table_;
  StepTimeModel* times_;
  QTimer timesTimer_;
};

}  // namespace batchscope::desktop
