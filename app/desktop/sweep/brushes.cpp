// SPDX-License-Identifier: GPL-3.0-or-later
#include "sweep/brushes.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "batchscope/common/number_text.h"
#include "batchscope/common/translate.h"

namespace batchscope::desktop {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kSlack = 1e-6;  // of an axis: a value at its end is not lost to rounding
constexpr double kNarrowest = 0.02;

Stretch snapped(const TrialAxis& axis, Stretch stretch) {
  if (axis.cells == 0) return stretch;
  const double low = std::floor(stretch.low * axis.cells + kSlack);
  const double high = std::ceil(stretch.high * axis.cells - kSlack);
  return {std::min<double>(low, axis.cells - 1) / axis.cells, std::max(high, low + 1) / axis.cells};
}

double stepOf(const TrialAxis& axis, double by) {
  return axis.cells == 0 ? by : std::copysign(1.0 / axis.cells, by);
}

}  // namespace

std::optional<Stretch> Brushes::at(const TrialAxis& axis) const {
  const auto found = bounds_.find(axis.name);
  if (found == bounds_.end()) return {};
  const auto& [low, high] = found->second;
  return Stretch{std::isfinite(low) ? std::clamp(axis.place(low), 0.0, 1.0) : 0,
                 std::isfinite(high) ? std::clamp(axis.place(high), 0.0, 1.0) : 1};
}

void Brushes::set(const TrialAxis& axis, Stretch stretch) {
  const auto [low, high] = snapped(axis, {std::clamp(std::min(stretch.low, stretch.high), 0.0, 1.0),
                                          std::clamp(std::max(stretch.low, stretch.high), 0.0, 1.0)});
  bounds_[axis.name] = {low <= kSlack ? -kInfinity : axis.valueAt(low),
                        high >= 1 - kSlack ? kInfinity : axis.valueAt(high)};
}

void Brushes::move(const TrialAxis& axis, double by) {
  const auto now = at(axis);
  if (!now) return set(axis, by > 0 ? Stretch{0.5, 1} : Stretch{0, 0.5});
  const double step = std::clamp(stepOf(axis, by), -now->low, 1 - now->high);
  set(axis, {now->low + step, now->high + step});
}

void Brushes::widen(const TrialAxis& axis, double by) {
  const auto now = at(axis);
  if (!now) return;
  const double step = stepOf(axis, by);
  if (now->high - now->low + 2 * step < kNarrowest) return;
  set(axis, {now->low - step, now->high + step});
}

std::vector<bool> Brushes::kept(const std::vector<TrialAxis>& axes, std::size_t trials) const {
  std::vector<bool> kept(trials, true);
  for (const TrialAxis& axis : axes) {
    const auto found = bounds_.find(axis.name);
    if (found == bounds_.end()) continue;
    const double slack = axis.isLogarithmic ? 0 : kSlack * (axis.high - axis.low);
    for (std::size_t trial = 0; trial < trials; ++trial) {
      const double value = axis.values[trial];
      if (!(value >= found->second.low - slack && value <= found->second.high + slack)) kept[trial] = false;
    }
  }
  return kept;
}

QStringList Brushes::texts(const std::vector<TrialAxis>& axes) const {
  QStringList texts;
  const auto number = [](const TrialAxis& axis, double value) {
    return axis.isTime ? common::formatDuration(value) : common::formatNumber(value);
  };
  for (const TrialAxis& axis : axes) {
    const auto found = bounds_.find(axis.name);
    if (found == bounds_.end()) continue;
    const auto& [low, high] = found->second;
    if (axis.cells > 0) {
      QStringList within;
      for (const Tick& tick : axis.ticks)
        if (tick.value >= low && tick.value <= high) within << tick.label;
      texts << tr("%1 %2").arg(axis.name, within.join(QStringLiteral(", ")));
    } else if (std::isinf(low) || std::isinf(high)) {
      texts << (std::isinf(low) && std::isinf(high) ? tr("%1 of any value").arg(axis.name)
                : std::isinf(low)                   ? tr("%1 up to %2").arg(axis.name, number(axis, high))
                                                    : tr("%1 from %2").arg(axis.name, number(axis, low)));
    } else {
      texts << tr("%1 %2 to %3").arg(axis.name, number(axis, low), number(axis, high));
    }
  }
  return texts;
}

}  // namespace batchscope::desktop
