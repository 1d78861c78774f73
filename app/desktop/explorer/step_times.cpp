// SPDX-License-Identifier: GPL-3.0-or-later
#include "explorer/step_times.h"

#include <cmath>

#include "look/format.h"
#include "look/theme.h"

namespace batchscope::desktop {
namespace {

// A residual beyond this is worth a second look.
constexpr double kLargeResidual = 0.15;

}  // namespace

std::vector<StepTime> measureStepTimes(SeriesModel& series, const protocol::Model& model) {
  std::vector<run::GenerationSteps> generations;
  for (const GenerationSpan& span : series.generations())
    generations.push_back({span.number, span.replicas, span.first, span.last});
  const run::ReadBuckets read = [&](const std::string& name, const run::GenerationSteps& generation) {
    const auto view = series.view(name, generation.number, generation.first_step, generation.last_step,
                                  run::kStepTimeColumns);
    return std::vector<Bucket>(view.begin(), view.end());
  };
  return run::measure_step_times(generations, read, model);
}

void StepTimeModel::setTimes(std::vector<StepTime> times) {
  beginResetModel();
  times_ = std::move(times);
  endResetModel();
}

int StepTimeModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(times_.size());
}

int StepTimeModel::columnCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : ColumnCount; }

QVariant StepTimeModel::data(const QModelIndex& index, int role) const {
  if (!checkIndex(index, CheckIndexOption::IndexIsValid)) return {};
  const StepTime& time = times_[static_cast<std::size_t>(index.row())];
  if (role == Qt::TextAlignmentRole) return QVariant(Qt::AlignRight | Qt::AlignVCenter);
  if (role == Qt::ForegroundRole && index.column() == Residual && std::abs(time.residual()) > kLargeResidual)
    return Theme::current().warning;
  if (role != Qt::DisplayRole) return {};
  switch (index.column()) {
    case Replicas: return QStringLiteral("×%1").arg(time.replicas);
    case LocalBatch: return formatCount(time.local_batch_size);
    case Accumulation: return formatCount(time.accumulation);
    case Steps: return formatCount(time.steps);
    case Measured: return formatNumber(1000 * time.measured);
    case Predicted: return formatNumber(1000 * time.predicted);
    case Residual:
      return (time.residual() > 0 ? QStringLiteral("+") : QString()) +
             tr("%1 %").arg(formatNumber(100 * time.residual(), 2));
    default: return {};
  }
}

QVariant StepTimeModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation == Qt::Vertical) return {};
  if (role == Qt::TextAlignmentRole) return QVariant(Qt::AlignRight | Qt::AlignVCenter);
  if (role != Qt::DisplayRole) return {};
  switch (section) {
    case Replicas: return tr("Replicas");
    case LocalBatch: return tr("Local");
    case Accumulation: return tr("Accum.");
    case Steps: return tr("Steps");
    case Measured: return tr("Measured");
    case Predicted: return tr("Predicted");
    case Residual: return tr("Residual");
    default: return {};
  }
}

}  // namespace batchscope::desktop
