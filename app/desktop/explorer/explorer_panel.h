// SPDX-License-Identifier: GPL-3.0-or-later
//
// The goodput explorer: the fitted model of a run, live or recorded. It shows throughput, efficiency and
// goodput over batch size for a number of replicas that a slider chooses, beside the measured values, with a
// button that restarts on it as the control panel's does; the learning-rate factors that the scaling rules
// would have given; the noise scale beside the batch size; and measured against predicted step times.
#pragma once

#include <QTimer>
#include <QWidget>
#include <array>
#include <vector>

#include "batchscope/common/what_if_table.h"
#include "batchscope/protocol/telemetry.h"

class QLabel;
class QPushButton;
class QSlider;
class QTableView;

namespace batchscope::desktop {

class ChartCard;
class Figure;
class GoodputCurve;
class RunSession;
class StepTimeModel;
class ViewState;

// The restart that the control panel would ask for: on how many replicas, and what its button says.
struct OfferedRestart {
  int replicas = 0;
  bool canChoose = true;  // another number
  QString text;
  bool isPossible = false;
  bool operator==(const OfferedRestart&) const = default;
};

class ExplorerPanel : public QWidget {
  Q_OBJECT
 public:
  ExplorerPanel(RunSession* session, ViewState* state, QWidget* parent = nullptr);

  QSlider* slider() const { return slider_; }
  QPushButton* applyButton() const { return apply_; }
  GoodputCurve* curve() const { return curve_; }
  StepTimeModel* stepTimes() const { return times_; }
  const std::array<ChartCard*, 2>& cards() const { return cards_; }

  void setRestart(const OfferedRestart& restart);
  // Takes over the series, once they are there or another run is open.
  void sessionOpened();
  // Draws the new samples of the model.
  void refreshSamples();

 Q_SIGNALS:
  void replicasChosen(int replicas);
  void restartRequested();

 protected:
  void showEvent(QShowEvent* event) override;

 private:
  QWidget* whatIfCard();
  QWidget* stepTimeCard();
  void refresh();
  void showTable(const std::vector<common::WhatIfRow>& rows);
  void refreshWhatIf(const protocol::Model& model, int replicas);
  void refreshStepTimes();

  RunSession* session_;
  OfferedRestart restart_;
  GoodputCurve* curve_;
  QSlider* slider_;
  QLabel* count_;
  QLabel* bounds_;
  QLabel* flag_;
  QPushButton* apply_;
  std::vector<std::array<QLabel*, 2>> values_;  // measured, predicted
  std::array<ChartCard*, 2> cards_{};
  QLabel* error_;
  Figure* plot_;
  QTableView* table_;
  StepTimeModel* times_;
  QTimer timesTimer_;
};

}  // namespace batchscope::desktop
