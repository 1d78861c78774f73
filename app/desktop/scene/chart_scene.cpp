// SPDX-License-Identifier: GPL-3.0-or-later
#include "scene/chart_scene.h"

#include <algorithm>
#include <iterator>

namespace batchscope::desktop {

std::optional<double> SceneLine::yAt(std::optional<int> generation, double x) const {
  for (const ScenePiece& piece : pieces) {
    if (piece.isLost || (generation && piece.generation != *generation)) continue;
    const auto& lines = piece.ink.smooth.empty() ? piece.ink.raw : piece.ink.smooth;
    for (const QPolygonF& line : lines) {
      if (x < line.first().x() - 1 || x > line.last().x() + 1) continue;
      const auto right = std::lower_bound(line.begin(), line.end(), x,
                                          [](const QPointF& point, double at) { return point.x() < at; });
      if (right == line.begin()) return line.first().y();
      if (right == line.end()) return line.last().y();
      const auto before = std::prev(right);
      const double share = (x - before->x()) / std::max(1e-9, right->x() - before->x());
      return before->y() + share * (right->y() - before->y());
    }
  }
  return {};
}

}  // namespace batchscope::desktop
