// SPDX-License-Identifier: GPL-3.0-or-later
#include "explorer/step_times.h"

#include <cmath>

#include "batchscope/common/number_text.h"
#include "look/theme.h"

namespace batchscope::desktop {
namespace {

// A residual beyond this is worth a second look.
constexpr double kLargeResidual = 0.15;

}  // namespace

void StepTimeModel::setTimes(std::vector<StepTime> times) {
  beginResetModel();
  times_ = std::move(times);
  endResetModel();
}

QVariant StepTimeModel::cell(std::size_t row, std::size_t column, int role) const {
  const StepTime& time = times_[row];
  if (role == Qt::TextAlignmentRole) return aligned(true);
  if (role == Qt::ForegroundRole && column == Residual && std::abs(time.residual()) > kLargeResidual)
    return Theme::current().warning;
  if (role != Qt::DisplayRole) return {};
  switch (column) {
    case Replicas: return QStringLiteral("×%1").arg(time.replicas);
    case LocalBatch: return common::formatCount(time.local_batch_size);
    case Accumulation: return common::formatCount(time.accumulation);
    case Steps: return common::formatCount(time.steps);
    case Measured: return common::formatNumber(1000 * time.measured);
    case Predicted: return common::formatNumber(1000 * time.predicted);
    default:
      return (time.residual() > 0 ? QStringLiteral("+") : QString()) +
             tr("%1 %").arg(common::formatNumber(100 * time.residual(), 2));
  }
}

QVariant StepTimeModel::title(std::size_t column, int role) const {
  if (role == Qt::TextAlignmentRole) return aligned(true);
  if (role != Qt::DisplayRole) return {};
  const QString titles[] = {tr("Replicas"), tr("Local"),     tr("Accum."),  tr("Steps"),
                            tr("Measured"), tr("Predicted"), tr("Residual")};
  return titles[column];
}

}  // namespace batchscope::desktop
