// SPDX-License-Identifier: GPL-3.0-or-later
#include "sweep/trial_axis.h"

#include <QCoreApplication>
#include <algorithm>
#include <cmath>
#include <limits>

#include "batchscope/common/sweep_text.h"
#include "batchscope/common/ticks.h"

namespace batchscope::desktop {
namespace {

using sweep::Parameter;

constexpr std::size_t kMostCells = 12;  // beyond them values are a scale
constexpr int kTicks = 5;
constexpr double kManyOrders = 100;  // over which a metric is shown by its logarithm
constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

TrialAxis axisOf(const Parameter& parameter) {
  TrialAxis axis{.name = QString::fromStdString(parameter.name)};
  const auto count = parameter.count();
  const bool isChoice = parameter.kind == Parameter::Kind::choice;
  if (isChoice || (count && *count <= kMostCells && !parameter.log)) {
    axis.cells = static_cast<int>(count.value_or(1));
    const double first = parameter.nth(0), step = parameter.nth(1) - first;
    axis.low = first - step / 2;
    axis.high = axis.low + step * axis.cells;
    for (std::size_t i = 0; i < *count; ++i) {
      const double value = parameter.nth(i);
      axis.ticks.push_back({value, QString::fromStdString(parameter.text(value))});
    }
    return axis;
  }
  axis.low = parameter.min;
  axis.high = parameter.max;
  axis.isLogarithmic = parameter.log;
  axis.ticks =
      parameter.log ? logTicks(axis.low, axis.high, kTicks) : linearTicks(axis.low, axis.high, kTicks);
  return axis;
}

// Round ends around all values, or from zero.
void spread(TrialAxis& axis, bool isFromZero) {
  double low = std::numeric_limits<double>::infinity(), high = -low;
  for (const double value : axis.values) {
    if (!std::isfinite(value)) continue;
    low = std::min(low, value);
    high = std::max(high, value);
  }
  if (!(low <= high)) low = 0, high = 1;
  axis.isLogarithmic = !isFromZero && low > 0 && high > kManyOrders * low;
  if (axis.isLogarithmic) {
    axis.low = low;
    axis.high = high;
    axis.ticks = logTicks(low, high, kTicks);
    return;
  }
  if (isFromZero) low = 0;
  if (!(high > low)) high = low + std::max(1e-9, 0.1 * std::abs(low));
  const double step = common::roundInterval(low, high, kTicks);
  axis.low = axis.isTime ? low : std::floor(low / step) * step;
  axis.high = axis.isTime ? high : std::ceil(high / step) * step;
  axis.ticks =
      axis.isTime ? timeTicks(axis.low, axis.high, kTicks) : linearTicks(axis.low, axis.high, kTicks);
}

}  // namespace

QString TrialAxis::title() const { return unit.isEmpty() ? name : QStringLiteral("%1, %2").arg(name, unit); }

double TrialAxis::place(double value) const { return common::axisPlace(value, low, high, isLogarithmic); }

double TrialAxis::valueAt(double place) const {
  return isLogarithmic ? low * std::pow(high / low, place) : low + place * (high - low);
}

std::vector<TrialAxis> parameterAxes(const sweep::SweepView& view) {
  std::vector<TrialAxis> axes;
  const auto& parameters = view.file.parameters;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    if (parameters[i].count() == 1) continue;
    TrialAxis axis = axisOf(parameters[i]);
    for (const sweep::TrialView& trial : view.trials) {
      const std::optional<double>& value = trial.standing.point[i];
      axis.values.push_back(value.value_or(kNone));
    }
    axes.push_back(std::move(axis));
  }
  return axes;
}

TrialAxis metricAxis(const sweep::SweepView& view) {
  TrialAxis axis{.name = QString::fromStdString(view.file.metric), .unit = common::metricUnit(view)};
  for (const sweep::TrialView& trial : view.trials) {
    const double value = trial.standing.value.value_or(kNone);
    axis.values.push_back(std::isfinite(value) ? common::metricFactor(view) * value : kNone);
  }
  spread(axis, false);
  return axis;
}

TrialAxis deviceTimeAxis(const sweep::SweepView& view) {
  TrialAxis axis{.name = QCoreApplication::translate("Sweep", "device time"), .isTime = true};
  for (const sweep::TrialView& trial : view.trials) {
    const double seconds = 3600 * trial.standing.device_hours;
    axis.values.push_back(seconds > 0 ? seconds : kNone);
  }
  spread(axis, true);
  return axis;
}

}  // namespace batchscope::desktop
