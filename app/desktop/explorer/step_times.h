// SPDX-License-Identifier: GPL-3.0-or-later
//
// The table of measured beside predicted step times.
#pragma once

#include <vector>

#include "batchscope/run/step_times.h"
#include "look/table_model.h"

namespace batchscope::desktop {

using run::StepTime;

class StepTimeModel : public TableModel {
  Q_OBJECT
 public:
  enum Column { Replicas, LocalBatch, Accumulation, Steps, Measured, Predicted, Residual, ColumnCount };

  using TableModel::TableModel;

  void setTimes(std::vector<StepTime> times);
  const std::vector<StepTime>& times() const { return times_; }

 protected:
  std::size_t rows() const override { return times_.size(); }
  std::size_t columns() const override { return ColumnCount; }
  QVariant cell(std::size_t row, std::size_t column, int role) const override;
  QVariant title(std::size_t column, int role) const override;

 private:
  std::vector<StepTime> times_;
};

}  // namespace batchscope::desktop
