// SPDX-License-Identifier: GPL-3.0-or-later
#include "step_times.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <tuple>

#include "batchscope/protocol/series.h"
#include "batchscope/run/model.h"
#include "format.h"
#include "theme.h"

namespace batchscope::desktop {
namespace {

namespace names = protocol::series;

// Fine enough that hardly a bucket mixes configurations, and bounded.
constexpr int kColumns = 2048;
// A residual beyond this is worth a second look.
constexpr double kLargeResidual = 0.15;

// The bucket's value where the series is constant over it.
std::optional<double> constant(std::span<const Bucket> buckets, std::size_t& at, const Bucket& over) {
  while (at < buckets.size() && buckets[at].last_step < over.first_step) ++at;
  if (at >= buckets.size()) return {};
  const double value = buckets[at].min;
  for (std::size_t i = at; i < buckets.size() && buckets[i].first_step <= over.last_step; ++i) {
    if (buckets[i].min != value || buckets[i].max != value) return {};
  }
  return value;
}

std::vector<Bucket> whole(SeriesModel& series, const char* name, const GenerationSpan& span) {
  const auto view = series.view(name, span.number, span.first, span.last, kColumns);
  return {view.begin(), view.end()};
}

}  // namespace

std::vector<std::string> stepTimeSeries() {
  return {names::kStepTime, names::kLocalBatchSize, names::kAccumulation};
}

std::vector<StepTime> measureStepTimes(SeriesModel& series, const protocol::Model& model) {
  struct Measured {
    std::int64_t steps = 0;
    std::vector<double> seconds;
  };
  std::map<std::tuple<int, std::int64_t, int>, Measured> found;
  for (const GenerationSpan& span : series.generations()) {
    if (span.last == 0) continue;
    const auto locals = whole(series, names::kLocalBatchSize, span);
    const auto accumulations = whole(series, names::kAccumulation, span);
    std::size_t local = 0, accumulation = 0;
    for (const Bucket& bucket : whole(series, names::kStepTime, span)) {
      if (bucket.first_step <= span.first || !(bucket.mean > 0)) continue;
      const auto size = constant(locals, local, bucket);
      const auto extra = constant(accumulations, accumulation, bucket);
      if (!size || !extra || !(*size >= 1)) continue;
      Measured& at = found[{span.replicas, std::llround(*size), static_cast<int>(*extra)}];
      at.steps += bucket.count;
      at.seconds.push_back(bucket.mean);
    }
  }
  const goodput::GoodputFunction function = run::goodput_function(model);
  std::vector<StepTime> times;
  for (auto& [configuration, measured] : found) {
    const auto [replicas, local, accumulation] = configuration;
    const auto middle = measured.seconds.begin() + static_cast<std::ptrdiff_t>(measured.seconds.size() / 2);
    std::nth_element(measured.seconds.begin(), middle, measured.seconds.end());
    const double throughput = function.throughput({1, replicas, local, accumulation});
    if (!(throughput > 0)) continue;
    const auto batch = static_cast<double>(replicas * local * (accumulation + 1));
    times.push_back({replicas, local, accumulation, measured.steps, *middle, batch / throughput});
  }
  return times;
}

double meanError(const std::vector<StepTime>& times) {
  double sum = 0, steps = 0;
  for (const StepTime& time : times) {
    sum += std::abs(time.residual()) * static_cast<double>(time.steps);
    steps += static_cast<double>(time.steps);
  }
  return steps > 0 ? sum / steps : std::numeric_limits<double>::quiet_NaN();
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
    case LocalBatch: return formatCount(time.localBatchSize);
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
