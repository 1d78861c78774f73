// SPDX-License-Identifier: GPL-3.0-or-later
#include "figure/figure_data.h"

namespace batchscope::desktop {

FigureTable::Cell cellOf(double value) { return std::isfinite(value) ? std::optional(value) : std::nullopt; }

QColor Ink::of(const Theme& theme) const {
  const auto plain = [&] {
    switch (token) {
      case Series: return theme.series[static_cast<std::size_t>(index) % theme.series.size()];
      case Run: return theme.run(index);
      case Accent: return theme.accent;
      case Dim: return theme.dim;
      case Faint: return theme.faint;
      case Good: return theme.good;
      case Warning: return theme.warning;
      default: return theme.bad;
    }
  };
  return withAlpha(plain(), alpha);
}

}  // namespace batchscope::desktop
