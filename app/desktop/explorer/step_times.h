// SPDX-License-Identifier: GPL-3.0-or-later
//
// How well the fitted model knows the run: for every configuration that was trained with (replicas, local
// batch size, accumulation steps) the median of the measured step times beside the time the model predicts
// (T of Pollux, OSDI 2021, section 3.1). As numbers, and as the table that shows them.
#pragma once

#include <QAbstractTableModel>
#include <vector>

#include "batchscope/protocol/telemetry.h"
#include "series_model.h"

namespace batchscope::desktop {

struct StepTime {
  int replicas = 0;
  std::int64_t localBatchSize = 0;
  int accumulation = 0;
  std::int64_t steps = 0;              // measured
  double measured = 0, predicted = 0;  // s
  double residual() const { return measured / predicted - 1; }
};

// The series it reads; want them first.
std::vector<std::string> stepTimeSeries();
// Without the first step of each generation, which warms caches. Ascending in replicas, then batch size.
std::vector<StepTime> measureStepTimes(SeriesModel& series, const protocol::Model& model);
// The mean of |residual|, weighted by steps; NaN where nothing was measured.
double meanError(const std::vector<StepTime>& times);

class StepTimeModel : public QAbstractTableModel {
  Q_OBJECT
 public:
  enum Column { Replicas, LocalBatch, Accumulation, Steps, Measured, Predicted, Residual, ColumnCount };

  using QAbstractTableModel::QAbstractTableModel;

  void setTimes(std::vector<StepTime> times);
  const std::vector<StepTime>& times() const { return times_; }

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

 private:
  std::vector<StepTime> times_;
};

}  // namespace batchscope::desktop
