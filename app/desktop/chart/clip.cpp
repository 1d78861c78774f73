// SPDX-License-Identifier: GPL-3.0-or-later
#include "chart/clip.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace batchscope::desktop {
namespace {

// The shares of the segment between which it is inside; empty where it never is.
std::optional<std::pair<double, double>> inside(const QPointF& from, const QPointF& to, const QRectF& box) {
  const QPointF d = to - from;
  double enter = 0, leave = 1;
  const std::pair<double, double> edges[] = {{-d.x(), from.x() - box.left()},
                                             {d.x(), box.right() - from.x()},
                                             {-d.y(), from.y() - box.top()},
                                             {d.y(), box.bottom() - from.y()}};
  for (const auto& [towards, room] : edges) {
    if (towards == 0) {
      if (room < 0) return {};
    } else if (towards < 0) {
      enter = std::max(enter, room / towards);
    } else {
      leave = std::min(leave, room / towards);
    }
  }
  if (enter > leave) return {};
  return std::pair(enter, leave);
}

}  // namespace

std::vector<QPolygonF> clipped(const QPolygonF& line, const QRectF& to) {
  std::vector<QPolygonF> pieces;
  if (line.size() == 1 && to.contains(line.first())) pieces.push_back(line);
  bool goesOn = false;  // the last segment ended inside
  for (qsizetype i = 1; i < line.size(); ++i) {
    const QPointF from = line[i - 1], d = line[i] - from;
    const auto part = inside(from, line[i], to);
    if (!part) {
      goesOn = false;
      continue;
    }
    if (!goesOn) pieces.push_back({from + part->first * d});
    pieces.back() << (part->second == 1 ? line[i] : from + part->second * d);
    goesOn = part->second == 1;
  }
  return pieces;
}

}  // namespace batchscope::desktop
