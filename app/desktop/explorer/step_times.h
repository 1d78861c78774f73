// SPDX-License-Identifier: GPL-3.0-or-later
//
// Measured beside predicted step times (run/step_times.h) of the open run, and the table that shows them.
#pragma once

#include <QAbstractTableModel>
#include <vector>

#include "batchscope/run/step_times.h"
#include "chart/series_model.h"

namespace batchscope::desktop {

using run::StepTime;

// Of the samples that are loaded; want run::step_time_series first.
std::vector<StepTime> measureStepTimes(SeriesModel& series, const protocol::Model& model);

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
