// SPDX-License-Identifier: GPL-3.0-or-later
#include "figure/figure_data.h"

namespace batchscope::desktop {

QColor colourOf(const Ink& ink, const Theme& theme) {
  const auto plain = [&] {
    switch (ink.token) {
      case Ink::Series: return theme.series[static_cast<std::size_t>(ink.index) % theme.series.size()];
      case Ink::Run: return theme.run(ink.index);
      case Ink::Accent: return theme.accent;
      case Ink::Dim: return theme.dim;
      case Ink::Faint: return theme.faint;
      case Ink::Good: return theme.good;
      case Ink::Warning: return theme.warning;
      default: return theme.bad;
    }
  };
  return withAlpha(plain(), ink.alpha);
}

}  // namespace batchscope::desktop
